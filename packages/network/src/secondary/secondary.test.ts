import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../run.ts';
import { whyNoNamespaces } from '../testing/namespaces.ts';

const why = await whyNoNamespaces();
const SCENARIO = new URL('../testing/secondary.ts', import.meta.url).pathname;

describe.skipIf(why)('networks besides the pod network', { meta: { whySkipped: why } }, () => {
  let results: Record<string, unknown>;
  beforeAll(async () => {
    results = JSON.parse(await run('unshare', ['--net', process.execPath, SCENARIO])) as typeof results;
  }, 60_000);

  it('offer each card its own address, whether it hears only broadcasts or not', () => {
    const gateway = '0a4d0001';
    const classless = '10c0a80a4d0009000a4d0001';
    expect(results.leases).toEqual([
      `10.77.0.10 169.254.67.1 ${gateway} ${classless}`,
      `10.77.0.11 169.254.67.1 ${gateway} ${classless}`,
      '10.77.0.10 169.254.67.1  ',
    ]);
    expect(results.stranger).toBe('timeout');
  });

  it('keep requests for addresses from everybody else on the bridge', () => {
    expect(results.heardByOthers).toBe('0');
  });

  it('connect guests with each other, and behind the node with the outside', () => {
    expect(results.guestToGuest).toBe('guest1 10.77.0.10');
    expect(results.guestToOutside).toBe('outside 192.0.2.2');
    expect(results.bridge).toBe(1400);
  });

  it('tell guests by IPv6 who is on their link, and whose router the node is, and give them their addresses', () => {
    expect(results.ipv6).toMatchObject({
      routes: [
        ['default via ROUTER dev eth0', 'fd77::/64 dev eth0', 'fd99::/48 via ROUTER dev eth0'],
        ['fd77::/64 dev eth0'],
      ],
      given: ['fd77::10 86400s from ROUTER', 'fd77::11 86400s from ROUTER', 'fd77::10 86400s from fe80::67%eth0'],
      heard: ['0', '0'],
    });
  });

  it('connect guests by IPv6, and keep them from the node and from addresses of others', () => {
    expect(results.ipv6).toMatchObject({
      guestToGuest: 'guest1 fd77::10',
      guestToOutside: 'outside 2001:db8::2',
      guestToNode: ['ECONNREFUSED', 'ECONNREFUSED', 'ENETUNREACH'],
      ping: 'answered',
      foreignAddress: 'timeout',
    });
  });

  it('do not let guests to ports of the node', () => {
    expect(results.guestToNode).toEqual([
      'ECONNREFUSED',
      'ECONNREFUSED',
      expect.stringMatching(/timeout|EHOSTUNREACH/),
    ]);
  });

  it('drop what guests send from addresses of others', () => {
    expect(results.foreignAddress).toBe('timeout');
    expect(results.foreignMac).toMatch(/timeout|EHOSTUNREACH/);
  });

  it('say if the kernel has no VLANs', () => {
    expect(results.vlans).toMatch(/^(made|the kernel has no VLAN filtering .*)$/);
    expect(results.unfinished).toBe(false);
  });

  it('leave nothing behind but what others made', () => {
    expect(results.left).toEqual({
      before: ['vt0', 'vt1', 'vt2', 'vtap'],
      bridges: expect.arrayContaining(['br-routed']),
      links: ['br-plain'],
      tables: '',
    });
  });
});
