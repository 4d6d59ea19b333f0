import { type BridgeNetwork, type MacvtapNetwork, parseNetwork } from '@vireo/network';
import { expect, it } from 'vitest';
import type { HostDevice } from './hostDevice.ts';
import { judgeBridge, judgeLower } from './judge.ts';

const bridge: HostDevice = {
  isBridge: true,
  isUp: true,
  mtu: 1500,
  alias: '',
  ports: [],
  filtersVlans: true,
  addresses: [],
};
const networkOf = (config: object): BridgeNetwork =>
  parseNetwork(JSON.stringify({ type: 'bridge', bridge: 'br1', ...config })).network as BridgeNetwork;
const ipam = { type: 'host-local', subnet: '10.77.0.0/24' };
const withoutVlans = { isBridge: true, isUp: true, mtu: 1500, alias: '', ports: [], addresses: [] };

it.each<[string, object, HostDevice | undefined, RegExp | undefined]>([
  ['is there', {}, bridge, undefined],
  ['is missing', {}, undefined, /^this node does not have the bridge "br1"; create it/],
  ['is missing, and will be made', { isGateway: true, ipam }, undefined, undefined],
  ['is another device', {}, { ...bridge, isBridge: false }, /"br1" of this node is no bridge/],
  ['is that of the pod network', {}, { ...bridge, alias: 'vireo 0123' }, /one of Vireo's own/],
  ['has the name of one of ours', { bridge: 'vireo0' }, undefined, /one of Vireo's own/],
  ['has the name of nodes', { bridge: 'vireo-61a1c43d' }, bridge, /one of Vireo's own/],
  ['has VLANs', { vlan: 5 }, bridge, undefined],
  ['has no VLANs', { vlan: 5 }, { ...bridge, filtersVlans: false }, /ip link set br1 type bridge vlan_filtering 1/],
  ['can have no VLANs', { vlan: 5 }, withoutVlans, /the kernel has no VLAN filtering/],
  ['can have no trunks', { vlanTrunk: [{ id: 5 }] }, withoutVlans, /the kernel has no VLAN filtering/],
  [
    'is to be an IPv6 router',
    { isGateway: true, ipam: { type: 'host-local', subnet: 'fd77::/64' } },
    { ...bridge, addresses: ['fd77::1/64'] },
    /an IPv6 gateway works only with bridges that Vireo makes/,
  ],
  ['has the gateway', { isGateway: true, ipam }, { ...bridge, addresses: ['10.77.0.1/24'] }, undefined],
  [
    'has another address',
    { isGateway: true, ipam },
    { ...bridge, addresses: ['10.77.0.1/16'] },
    /ip addr add 10.77.0.1\/24 dev br1/,
  ],
  [
    'is to masquerade',
    { isGateway: true, ipMasq: true, ipam },
    bridge,
    /^ipMasq works only with bridges that Vireo makes/,
  ],
])('a bridge that %s', (_, config, found, problem) => {
  const judged = judgeBridge(networkOf(config), found, false);
  if (problem) expect(judged.problem).toMatch(problem);
  else expect(judged).toEqual({ warnings: [] });
});

it('a bridge of ours gets what it lacks', () => {
  const wanted = networkOf({ isGateway: true, ipMasq: true, ipam });
  expect(judgeBridge(wanted, { ...bridge, isUp: false }, true)).toEqual({ warnings: [] });
});

it.each<[string, object, Partial<HostDevice>, RegExp]>([
  ['is down', {}, { isUp: false }, /is down, so nothing passes it; bring it up: ip link set br1 up/],
  [
    'has an uplink with small packets',
    { mtu: 9000 },
    { ports: [{ name: 'eth1', mtu: 1500 }] },
    /port eth1 of the bridge "br1" has 1500/,
  ],
])('a bridge that %s is used with a warning', (_, config, facts, warning) => {
  expect(judgeBridge(networkOf(config), { ...bridge, ...facts }, false)).toEqual({
    warnings: [expect.stringMatching(warning)],
  });
});

const device: HostDevice = { ...bridge, isBridge: false };
it.each<[string, string, HostDevice | undefined, RegExp | undefined]>([
  ['is there', 'eth1', device, undefined],
  ['is missing', 'eth1', undefined, /does not have the device "eth1"/],
  ['has small packets', 'eth1', { ...device, mtu: 1300 }, /mtu is 1400, but the device "eth1" has 1300/],
  ['is ours', 'vireo0', device, /choose another/],
  ['is the loopback device', 'lo', device, /choose another/],
])('a device for macvtaps that %s', (_, master, found, problem) => {
  const network = parseNetwork(JSON.stringify({ type: 'macvtap', master, mtu: 1400 })).network as MacvtapNetwork;
  const judged = judgeLower(network, found);
  if (problem) expect(judged.problem).toMatch(problem);
  else expect(judged).toEqual({ warnings: [] });
});
