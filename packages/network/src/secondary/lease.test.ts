import { describe, expect, it } from 'vitest';
import { OPTION } from '../dhcp/message.ts';
import { type BridgeNetwork, parseNetwork } from './config.ts';
import type { Ipam } from './ipam.ts';
import { cardLease, chooseCardAddress } from './lease.ts';
import { cardRouter, chooseCardAddress6 } from './lease6.ts';

const networkWith = (ipam: object, more: object = {}): BridgeNetwork & { ipam: Ipam } =>
  parseNetwork(JSON.stringify({ type: 'bridge', bridge: 'br1', ipam, ...more })).network as BridgeNetwork & {
    ipam: Ipam;
  };
const hostLocal = (more: object = {}) => networkWith({ type: 'host-local', subnet: '10.77.0.0/29', ...more }).ipam;
const all = (ipam: Ipam): string[] => {
  const taken = new Set<string>();
  for (;;) {
    const address = chooseCardAddress(ipam, `shop/web/${taken.size}`, (each) => taken.has(each));
    if (address === undefined) return [...taken].sort();
    taken.add(address);
  }
};

describe('the addresses of a network', () => {
  it.each([
    ['all but the gateway', hostLocal(), [2, 3, 4, 5, 6]],
    ['another gateway', hostLocal({ gateway: '10.77.0.6' }), [1, 2, 3, 4, 5]],
    ['a part of them', hostLocal({ rangeStart: '10.77.0.3', rangeEnd: '10.77.0.4' }), [3, 4]],
    ['all but those that are left out', hostLocal({ exclude: ['10.77.0.4/31', '10.77.0.2'] }), [3, 6]],
    ['an address', networkWith({ type: 'static', addresses: [{ address: '10.77.0.5/29' }] }).ipam, [5]],
    [
      'the ranges of the first set',
      networkWith({
        type: 'host-local',
        ranges: [[{ subnet: '10.77.0.0/30' }, { subnet: '10.77.0.4/30' }], [{ subnet: '10.78.0.0/30' }]],
      }).ipam,
      [2, 6],
    ],
  ])('are %s', (_, ipam, expected) => {
    expect(all(ipam)).toEqual(expected.map((last) => `10.77.0.${last}`));
  });

  const range6 = (more: object = {}) => networkWith({ type: 'host-local', subnet: 'FD77:0::/125', ...more }).ipam;
  const all6 = (ipam: Ipam): string[] => {
    const taken = new Set<string>();
    for (;;) {
      const address = chooseCardAddress6(ipam, `shop/web/${taken.size}`, (each) => taken.has(each));
      if (address === undefined) return [...taken].sort();
      taken.add(address);
    }
  };
  const dual = [{ address: '10.77.0.5/24' }, { address: 'fd77::5/64' }, { address: 'fd77::6/64' }];
  it.each([
    ['all but the gateway', range6(), [2, 3, 4, 5, 6, 7]],
    ['a part of them', range6({ rangeStart: 'fd77::3', rangeEnd: 'fd77::4', gateway: 'fd77::7' }), [3, 4]],
    ['all but those that are left out', range6({ exclude: ['fd77::4/126', 'fd77::2'] }), [3]],
    ['the first of each family', networkWith({ type: 'static', addresses: dual }).ipam, [5]],
    ['none of a network without any', hostLocal(), []],
  ])('are by IPv6 %s', (_, ipam, expected) => {
    expect(all6(ipam)).toEqual(expected.map((last) => `fd77::${last}`));
  });

  it('are the same for the same card, also in a large range', () => {
    const { ipam } = networkWith({ type: 'host-local', subnet: '10.0.0.0/8' });
    const address = chooseCardAddress(ipam, 'shop/web/blue', () => false);
    const large = networkWith({ type: 'host-local', subnet: 'fd77::/64' }).ipam;
    const address6 = chooseCardAddress6(large, 'shop/web/blue', () => false);
    expect(address6).toBe(chooseCardAddress6(large, 'shop/web/blue', () => false));
    expect(chooseCardAddress6(large, 'shop/web/blue', (each) => each === address6)).not.toBe(address6);
    expect(address).toBe(chooseCardAddress(ipam, 'shop/web/blue', () => false));
    expect(address).not.toBe(chooseCardAddress(ipam, 'shop/db/blue', () => false));
  });
});

describe('what a card is told by router advertisements', () => {
  const ipam = {
    type: 'host-local',
    subnet: 'fd77::/64',
    routes: [{ dst: 'fd99::/48' }, { dst: 'fd98::/48', gw: 'fd77::9' }],
  };
  const router = expect.stringMatching(/^02:58:/);
  it.each([
    ['who is on the link', {}, { isDefault: false, routes: [] }],
    ['where the node leads', { isGateway: true }, { isDefault: false, routes: ['fd99::/48'], mac: router }],
    ['that it leads everywhere', { isDefaultGateway: true }, { isDefault: true, routes: ['fd99::/48'], mac: router }],
  ])('is %s', (_, more, expected) => {
    expect(cardRouter('vireo0', networkWith(ipam, more), 1400)).toEqual({
      mtu: 1400,
      prefixes: ['fd77::/64'],
      ...expected,
    });
  });
});

describe('what a card is told', () => {
  const routes = (lease: ReturnType<typeof cardLease>): string | undefined =>
    lease.extra?.find(([code]) => code === OPTION.routes)?.[1].toString('hex');

  it('is no way out of a network that has none', () => {
    const lease = cardLease(networkWith({ type: 'host-local', subnet: '10.77.0.0/24' }), '10.77.0.9');
    expect(lease).toEqual({ address: '10.77.0.9', netmask: '255.255.255.0', dnsServers: [], search: [] });
  });

  it('is the gateway, if that is the default one', () => {
    const network = networkWith({ type: 'host-local', subnet: '10.77.0.0/24' }, { isDefaultGateway: true });
    expect(cardLease(network, '10.77.0.9')).toMatchObject({ router: '10.77.0.1' });
  });

  it('is routes and name servers', () => {
    const dns = { nameservers: ['10.77.0.53'], domain: 'lab', search: ['lab', 'example.org.'] };
    const given = [{ dst: '10.9.0.0/20', gw: '10.77.0.2' }, { dst: '0.0.0.0/0' }];
    const addresses = [{ address: '10.77.0.9/16', gateway: '10.77.0.254' }];
    const lease = cardLease(networkWith({ type: 'static', addresses, routes: given, dns }), '10.77.0.9');
    expect(lease).toMatchObject({
      netmask: '255.255.0.0',
      router: '10.77.0.254',
      dnsServers: ['10.77.0.53'],
      domain: 'lab',
      search: ['lab', 'example.org'],
    });
    expect(routes(lease)).toBe('140a09000a4d0002' + '000a4d00fe');
  });
});
