import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numberToIpv4 } from './addresses.ts';
import { allocateClusterIp, allocateNodePort, isServiceIp, NODE_PORTS } from './allocation.ts';

const all = Array.from({ length: NODE_PORTS.last - NODE_PORTS.first + 1 }, (_, index) => NODE_PORTS.first + index);

test('an address is of the range, free, and never the API server’s', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 65535 })), (offsets) => {
      const used = new Set(offsets.map((offset) => numberToIpv4(10 * 2 ** 24 + 96 * 2 ** 16 + offset)));
      const address = allocateClusterIp(used);
      expect(address).toBeDefined();
      expect(isServiceIp(address!)).toBe(true);
      expect(used.has(address!)).toBe(false);
      expect(address).not.toBe('10.96.0.1');
    }),
  );
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
  expect(isServiceIp(address)).toBe(expected);
});
