import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contextOf } from '../../testing/strategies.ts';
import { numberToIpv4 } from './addresses.ts';
import { allocateClusterIp, allocateNodePort, isServiceIp, NODE_PORTS, serviceCidrs } from './allocation.ts';

const CIDRS = ['10.96.0.0/16'];

const all = Array.from({ length: NODE_PORTS.last - NODE_PORTS.first + 1 }, (_, index) => NODE_PORTS.first + index);

test('an address is of the range, free, and never the API server’s', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 65535 })), (offsets) => {
      const used = new Set(offsets.map((offset) => numberToIpv4(10 * 2 ** 24 + 96 * 2 ** 16 + offset)));
      const address = allocateClusterIp(used, CIDRS);
      expect(address).toBeDefined();
      expect(isServiceIp(address!, CIDRS)).toBe(true);
      expect(used.has(address!)).toBe(false);
      expect(address).not.toBe('10.96.0.1');
    }),
  );
});

test('an IPv6 range gives addresses, too, and never the network’s', () => {
  expect(allocateClusterIp(new Set(), ['fd00::/112'])).toMatch(/^fd00::[\da-f]+$/);
  expect(allocateClusterIp(new Set(['fd00::2']), ['fd00::/126'])).toBe('fd00::3');
  expect(allocateClusterIp(new Set(['fd00::2', 'fd00::3']), ['fd00::/126'])).toBeUndefined();
  expect(['fd00::', 'fd00::1', 'fd00::ffff', 'fd00::1:0'].map((each) => isServiceIp(each, ['fd00::/112']))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test('the second range is used when the first is full', () => {
  const full = Array.from({ length: 13 }, (_, index) => `10.0.0.${index + 2}`);
  expect(allocateClusterIp(new Set(full), ['10.0.0.0/28', '10.1.0.0/28'])).toMatch(/^10\.1\.0\./);
  expect(allocateClusterIp(new Set(full.slice(1)), ['10.0.0.0/28'])).toBe('10.0.0.2');
});

test('the ranges are those of the ServiceCIDRs, the server’s own first', () => {
  const range = (name: string, cidrs: string[], metadata = {}) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name, ...metadata },
    spec: { cidrs },
  });
  const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const stored = [
    range('another', ['10.2.0.0/24', 'fd00::/112']),
    range('kubernetes', ['10.1.0.0/24']),
    range('going', ['10.3.0.0/24'], going),
  ];
  expect(serviceCidrs(contextOf({ stored }).lookup)).toEqual(['10.1.0.0/24', '10.2.0.0/24', 'fd00::/112']);
  expect(serviceCidrs(contextOf({ stored: stored.slice(2) }).lookup)).toEqual([]);
  expect(serviceCidrs(contextOf().lookup)).toEqual(['10.96.0.0/16']);
});

test('the last free port is found', () => {
  fc.assert(
    fc.property(fc.constantFrom(...all), (free) => {
      expect(allocateNodePort(new Set(all.filter((port) => port !== free)))).toBe(free);
    }),
    { numRuns: 20 },
  );
});

test('a full range gives nothing', () => {
  expect(allocateNodePort(new Set(all))).toBeUndefined();
});

test.each([
  ['10.96.0.0', false],
  ['10.96.0.1', true],
  ['10.96.255.254', true],
  ['10.96.255.255', false],
  ['10.97.0.1', false],
])('%s belongs to services: %s', (address, expected) => {
  expect(isServiceIp(address, CIDRS)).toBe(expected);
});
