import { describe, expect, it } from 'vitest';
import { OPTION } from '../dhcp/message.ts';
import { type BridgeNetwork, parseNetwork } from './config.ts';
import type { Ipam } from './ipam.ts';
import { cardLease, chooseCardAddress } from './lease.ts';

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

  it('are the same for the same card, also in a large range', () => {
    const { ipam } = networkWith({ type: 'host-local', subnet: '10.0.0.0/8' });
    const address = chooseCardAddress(ipam, 'shop/web/blue', () => false);
    expect(address).toBe(chooseCardAddress(ipam, 'shop/web/blue', () => false));
    expect(address).not.toBe(chooseCardAddress(ipam, 'shop/db/blue', () => false));
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
