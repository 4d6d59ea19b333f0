import { describe, expect, it } from 'vitest';
import type { SecondaryCard } from './card.ts';
import { type BridgeNetwork, parseNetwork } from './config.ts';
import { bridgeLines, cardLines, vlanLines } from './links.ts';
import { cardRules } from './rules.ts';

const networkOf = (config: object): BridgeNetwork =>
  parseNetwork(JSON.stringify({ type: 'bridge', bridge: 'br1', ...config })).network as BridgeNetwork;
const cardOn = (config: object, more: Partial<SecondaryCard> = {}): SecondaryCard => ({
  device: 'vt0',
  mac: '02:00:00:00:00:07',
  mtu: 1500,
  network: networkOf(config),
  ...more,
});

describe('the commands for a card', () => {
  it('join a tap to its bridge', () => {
    expect(cardLines('vireo0', cardOn({ hairpinMode: true }, { isMultiqueue: true }))).toEqual({
      make: 'tuntap add dev vt0 mode tap vnet_hdr multi_queue',
      connect: [
        'link set vt0 alias "secondary card of vireo0"',
        'link set vt0 address fe:00:00:00:00:07 mtu 1500 addrgenmode none',
        'link set vt0 master br1',
        'link set vt0 type bridge_slave hairpin on isolated off',
        'link set vt0 up',
      ],
    });
  });

  it('lead replies of DHCP to it', () => {
    const { connect } = cardLines('vireo3', cardOn({}, { dhcp: { address: '10.77.0.5', number: 1027 } }));
    expect(connect.slice(-2)).toEqual([
      'neigh replace 240.3.4.3 lladdr 02:00:00:00:00:07 dev vt0 nud permanent',
      'route replace 240.3.4.3/32 via 240.3.4.3 dev vt0 onlink',
    ]);
  });

  it('speak to it by IPv6 without asking who is there', () => {
    const ipam = { type: 'host-local', subnet: 'fd77::/64' };
    const dhcp = { address6: 'fd77::5', number: 1027 };
    expect(cardLines('vireo3', cardOn({ ipam }, { dhcp })).connect.slice(-4)).toEqual([
      'link set vt0 up',
      'addr replace fe80::67/128 dev vt0 nodad noprefixroute',
      'neigh replace fe80::66 lladdr 02:00:00:00:00:07 dev vt0 nud permanent',
      'route replace fe80::/64 via fe80::66 dev vt0 onlink metric 1027',
    ]);
    const [router] = cardLines('vireo3', cardOn({ ipam, isGateway: true }, { dhcp })).connect.slice(-3);
    expect(router).toMatch(/^addr replace fe80::58:[\da-f]{1,4}:fe[\da-f]{2}:[\da-f]{1,4}\/128 dev vt0 /);
  });

  it.each([
    ['none', {}, [], []],
    [
      'one, and no other',
      { vlan: 5 },
      [{ vlan: 1 }],
      ['vlan add dev vt0 vid 5 pvid untagged', 'vlan del dev vt0 vid 1'],
    ],
    ['one that is there', { vlan: 5 }, [{ vlan: 5 }], ['vlan add dev vt0 vid 5 pvid untagged']],
    ['the first', { vlan: 1 }, [{ vlan: 1 }], ['vlan add dev vt0 vid 1 pvid untagged']],
    [
      'the default besides',
      { vlan: 5, preserveDefaultVlan: true },
      [{ vlan: 1 }],
      ['vlan add dev vt0 vid 5 pvid untagged'],
    ],
    [
      'several with tags',
      { vlanTrunk: [{ minID: 10, maxID: 20 }, { id: 30 }] },
      [{ vlan: 1 }],
      ['vlan add dev vt0 vid 10-20', 'vlan add dev vt0 vid 30', 'vlan del dev vt0 vid 1'],
    ],
  ])('give it VLANs: %s', (_, config, current, expected) => {
    expect(vlanLines(cardOn(config), current)).toEqual(expected);
  });

  it('make a bridge under another name until it is marked', () => {
    expect(bridgeLines('vireo0', networkOf({ vlan: 5, mtu: 9000 }))).toEqual([
      expect.stringMatching(
        /^link add vireo0-new address 02:58(:[\da-f]{2}){4} type bridge forward_delay 0 vlan_filtering 1$/,
      ),
      'link set vireo0-new alias "bridge of vireo0"',
      'link set vireo0-new mtu 8999',
      'link set vireo0-new mtu 9000',
      'link set vireo0-new name br1',
    ]);
  });

  it('filter its frames only where that is asked for', () => {
    expect(cardRules(cardOn({}), { ipv4: 4000, ipv6: 4001 })).toEqual([]);
    expect(cardRules(cardOn({ macspoofchk: true }), { ipv4: 4000, ipv6: 4001 })).toEqual([
      'ether saddr != 02:00:00:00:00:07 drop',
    ]);
  });
});
