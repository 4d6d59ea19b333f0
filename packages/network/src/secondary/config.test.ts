import { describe, expect, it } from 'vitest';
import { type ConfigOptions, parseNetwork } from './config.ts';

const parse = (config: unknown, options?: ConfigOptions) =>
  parseNetwork(typeof config === 'string' ? config : JSON.stringify(config), options);
const bridge = (more: object) => ({ cniVersion: '0.3.1', name: 'blue', type: 'bridge', bridge: 'br1', ...more });
const subnets = (list: string[]) => list.map((subnet) => ({ subnet }));
const hostLocal = (more: object) => ({ type: 'host-local', subnet: '10.77.0.0/24', ...more });

describe('a CNI configuration', () => {
  it.each([
    ['a bridge', bridge({}), { bridge: 'br1', isMadeIfMissing: false }],
    ['a bridge without a name', { type: 'bridge' }, { bridge: 'cni0' }],
    ['a size of packets', bridge({ mtu: 9000 }), { mtu: 9000 }],
    ['fields of Harvester', bridge({ promiscMode: true, vlan: 5, ipam: {} }), { isPromiscuous: true, vlan: 5 }],
    ['no VLAN', bridge({ vlan: 0 }), { isHairpin: false }],
    ['a gateway, which makes the bridge', bridge({ isGateway: true, ipam: hostLocal({}) }), { isMadeIfMissing: true }],
    ['a default gateway', bridge({ isDefaultGateway: true, ipam: hostLocal({}) }), { isGateway: true }],
    [
      'filters',
      bridge({ macspoofchk: true, portIsolation: true, hairpinMode: true }),
      { checksMac: true, isIsolated: true, isHairpin: true },
    ],
    [
      'trunks',
      bridge({ vlanTrunk: [{ id: 7 }, { minID: 10, maxID: 20 }] }),
      {
        trunk: [
          { first: 7, last: 7 },
          { first: 10, last: 20 },
        ],
      },
    ],
    [
      'the first of a list, tuned by the next',
      {
        plugins: [
          { type: 'cnv-bridge', bridge: 'br1', mtu: 1500 },
          { type: 'tuning', mtu: 1400, promisc: true },
        ],
      },
      { bridge: 'br1', mtu: 1400 },
    ],
    ['a macvtap', { type: 'macvtap', master: 'eth1', mtu: 1400 }, { type: 'macvtap', lower: 'eth1', mode: 'bridge' }],
    ['a macvlan', { type: 'macvlan', master: 'eth1', mode: 'private' }, { type: 'macvtap', mode: 'private' }],
    [
      'addresses that the network gives',
      { type: 'macvlan', master: 'eth1', ipam: { type: 'dhcp' } },
      { lower: 'eth1' },
    ],
  ])('has %s', (_, config, expected) => {
    const { network, warnings } = parse(config);
    expect(network).toMatchObject(expected);
    expect(warnings).toEqual([]);
    if (network.type === 'bridge') expect('vlan' in network).toBe('vlan' in expected);
  });

  it('names a device by its annotation, or asks for a bridge', () => {
    const resourceName = 'macvtap.network.kubevirt.io/eth0';
    expect(parse({ type: 'macvtap' }, { resourceName }).network).toMatchObject({ type: 'macvtap', lower: 'eth0' });
    expect(parse(bridge({}), { createBridge: true }).network).toMatchObject({ isMadeIfMissing: true });
  });

  it.each([
    ['a field that nobody knows', bridge({ firewall: 'strict' }), 'firewall is not supported and is ignored'],
    [
      'a plug-in',
      { plugins: [bridge({}), { type: 'bandwidth' }] },
      'plugins[1].type "bandwidth" is not supported and is ignored',
    ],
    [
      'a MAC address for all',
      { plugins: [bridge({}), { type: 'tuning', mac: '02:00:00:00:00:01' }] },
      "plugins[1].mac is ignored: set macAddress of the VM's interface",
    ],
    [
      'a third set of ranges',
      bridge({ ipam: { ranges: [['10.77.0.0/24'], ['fd77::/64'], ['fd78::/64']].map(subnets), type: 'host-local' } }),
      'ipam.ranges: fd78::/64 is ignored: a card gets one address of each family',
    ],
    [
      'a route by an IPv6 router that is another',
      bridge({ ipam: { type: 'host-local', subnet: 'fd77::/64', routes: [{ dst: '::/0', gw: 'fd77::9' }] } }),
      'ipam.routes: ::/0 is ignored: IPv6 routers tell guests themselves where they lead',
    ],
    [
      'promiscuity of a macvtap',
      { type: 'macvtap', master: 'eth0', promiscMode: true },
      'promiscMode has no effect: a macvtap gets frames for the MAC address of its interface only. Set mode to passthru, which gives the whole device to one guest, or use a bridge',
    ],
    ['a field of ipam', bridge({ ipam: hostLocal({ sticky: true }) }), 'ipam.sticky is not supported and is ignored'],
  ])('that has %s warns', (_, config, message) => {
    expect(parse(config).warnings).toEqual([message]);
  });

  it.each([
    ['no JSON', '{', /^not valid JSON: /],
    ['a list', '[]', /^not a JSON object/],
    ['no plug-ins', { plugins: [] }, /^plugins is empty/],
    ['no type', { bridge: 'br1' }, /^type is undefined, which is not supported/],
    ['another type', { type: 'ovs', bridge: 'br1' }, /^type is "ovs", which is not supported; use bridge/],
    ['SR-IOV', { type: 'sriov' }, /^type is "sriov", which gives each guest a network device of the host/],
    ['a path', bridge({ bridge: '../../etc' }), /^bridge is "..\/..\/etc", but must be the name of a bridge/],
    ['dots', bridge({ bridge: '..' }), /^bridge is "..", but must be/],
    ['an option', bridge({ bridge: '-batch' }), /^bridge is "-batch", but must be/],
    ['a command', bridge({ bridge: 'br0; id' }), /^bridge is "br0; id", but must be/],
    ['a name beyond what the kernel takes', bridge({ bridge: 'a'.repeat(16) }), /must be the name of a bridge/],
    ['text for a switch', bridge({ macspoofchk: 'true' }), /^macspoofchk is "true", but must be true or false/],
    ['a VLAN that cannot be', bridge({ vlan: 4095 }), /^vlan is 4095, but must be a whole number from 1 to 4094/],
    ['a size that cannot be', bridge({ mtu: 9.5 }), /^mtu is 9.5, but must be/],
    ['promiscuity and hairpins', bridge({ promiscMode: true, hairpinMode: true }), /exclude each other/],
    ['a gateway without an address', bridge({ isGateway: true }), /^isGateway needs an ipam with a gateway/],
    ['a gateway in a VLAN', bridge({ isGateway: true, vlan: 5, ipam: hostLocal({}) }), /isGateway and a VLAN/],
    [
      'a gateway of no network',
      bridge({ isGateway: true, ipam: { type: 'host-local', subnet: '127.0.0.0/8' } }),
      /no range/,
    ],
    ['masquerade without a gateway', bridge({ ipMasq: true }), /^ipMasq needs isGateway/],
    ['a macvtap without a device', { type: 'macvtap' }, /^type is macvtap, but no device is named/],
    [
      'a mode that nobody knows',
      { type: 'macvlan', master: 'eth0', mode: 'x' },
      /^mode is "x", but must be bridge, vepa/,
    ],
    [
      'addresses for a macvtap',
      { type: 'macvtap', master: 'eth0', ipam: hostLocal({}) },
      /^ipam needs the type bridge/,
    ],
    ['another ipam', bridge({ ipam: { type: 'whereabouts' } }), /^ipam.type is "whereabouts"; host-local, static/],
    ['no range', bridge({ ipam: { type: 'host-local' } }), /^ipam.ranges has no address/],
    ['no address', bridge({ ipam: { type: 'static' } }), /^ipam.addresses has no address/],
    [
      'an address without a prefix',
      bridge({ ipam: { type: 'static', addresses: [{ address: '10.0.0.1' }] } }),
      /an address with the length/,
    ],
    [
      'a start elsewhere',
      bridge({ ipam: hostLocal({ rangeStart: '10.78.0.1' }) }),
      /^ipam.rangeStart is "10.78.0.1", but must be an address of 10.77.0.0\/24/,
    ],
    [
      'an end before the start',
      bridge({ ipam: hostLocal({ rangeStart: '10.77.0.9', rangeEnd: '10.77.0.8' }) }),
      /comes after rangeEnd/,
    ],
    ['a range of nobody', bridge({ ipam: { type: 'host-local', subnet: '10.77.0.0/31' } }), /too small/],
    [
      'a set of two families',
      bridge({ ipam: { type: 'host-local', ranges: [subnets(['10.77.0.0/24', 'fd77::/64'])] } }),
      /of two families/,
    ],
    ['an IPv6 range of nobody', bridge({ ipam: { type: 'host-local', subnet: 'fd77::/127' } }), /too small/],
    [
      'an IPv6 start elsewhere',
      bridge({ ipam: { type: 'host-local', subnet: 'fd77::/64', rangeStart: 'fd78::1' } }),
      /^ipam.rangeStart is "fd78::1", but must be an address of fd77::\/64/,
    ],
    [
      'an IPv6 gateway of the link',
      bridge({ isGateway: true, ipam: { type: 'host-local', subnet: 'fe80::/64' } }),
      /fe80::\/64 is no range that a node can route/,
    ],
    ['a route to nowhere', bridge({ ipam: hostLocal({ routes: [{ dst: 'x' }] }) }), /^ipam.routes\[0\].dst is "x"/],
    ['a name server that is none', bridge({ ipam: hostLocal({ dns: { nameservers: ['x'] } }) }), /not an address/],
    ['a domain that is none', bridge({ ipam: hostLocal({ dns: { search: ['a b'] } }) }), /not a domain/],
    ['a label that is too long', bridge({ ipam: hostLocal({ dns: { search: ['a'.repeat(64)] } }) }), /not a domain/],
  ])('that has %s is refused', (_, config, message) => {
    expect(() => parse(config)).toThrow(message);
  });
});
