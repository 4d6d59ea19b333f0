import type { Node, Pod } from '@vireo/api';
import { DEFAULT_NETWORK } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { expect, it } from 'vitest';
import { address6For, plan6 } from './ipv6.ts';
import { peerOf } from './peers.ts';

it.each([
  ['10.244.3.0/24', 'fd00:0:0:3::/64', '10.244.3.7', 'fd00:0:0:3::7'],
  ['10.244.3.0/24', 'fd00:0:0:3::/64', '10.244.3.253', 'fd00:0:0:3::fd'],
  ['10.244.0.0/16', 'fd00::/64', '10.244.1.2', 'fd00::102'],
  ['10.244.3.0/24', 'fd00::/124', '10.244.3.20', undefined],
])('of %s and %s, %s goes with %s', (range, range6, address, expected) => {
  expect(address6For(range, range6, address)).toBe(expected);
});

it('the gateway of a network is the same on all nodes, and each node has an address of its own', () => {
  const config = { ...DEFAULT_NETWORK, clusterCIDRv6: 'fd00::/56', serviceCIDRv6: 'fd00:0:0:100::/112' };
  expect(plan6('10.244.3.0/24', 'fd00:0:0:3::/64', config)).toEqual({
    gateway: 'fd00::1',
    own: 'fd00:0:0:3::fe',
    podRange: 'fd00:0:0:3::/64',
    clusterRange: 'fd00::/56',
    serviceRange: 'fd00:0:0:100::/112',
  });
});

it('a range of another cluster stands for itself', () => {
  const config = { ...DEFAULT_NETWORK, clusterCIDRv6: 'fd00::/56' };
  expect(plan6('10.244.3.0/24', 'fd01::/64', config)).toMatchObject({ gateway: 'fd01::1', clusterRange: 'fd01::/64' });
});

/** Of the host, what others have, and what is no address. */
const ADDRESSES4 = '192.0.2.2,198.51.100.2,10.244.0.1,10.96.0.1,192.0.2.300';
const ADDRESSES = '2001:DB8::2,2001:db8::abcd:1,fd00::7,fd00:0:0:100::1,fe80::1%eth0,x';

it('another node is reached by both families, its moved guests too', () => {
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'two',
      annotations: {
        'vireo.dev/pod-network': 'routed',
        'vireo.dev/ipv4-addresses': ADDRESSES4,
        'vireo.dev/ipv6-addresses': ADDRESSES,
      },
    },
    spec: { podCIDR: '10.244.1.0/24', podCIDRs: ['10.244.1.0/24', 'fd00:0:0:1::/64'] },
    status: {
      addresses: ['192.0.2.2', '2001:db8::2'].map((address) => ({ type: 'InternalIP', address })),
      nodeInfo: { kubeletVersion: 'v1.34.0+vireo' } as NonNullable<Node['status']>['nodeInfo'],
    },
  };
  const pod = (...addresses: string[]): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: addresses[0] ?? '' },
    status: { phase: 'Running', podIP: addresses[0], podIPs: addresses.map((ip) => ({ ip })) },
  });
  const ranges = { podRange: '10.244.0.0/24', clusterRange: '10.244.0.0/16', serviceRange: '10.96.0.0/16' };
  const own = { ...ranges, hasWireguard: false };
  const ipv6 = { podRange: 'fd00::/64', clusterRange: 'fd00::/56', serviceRange: 'fd00:0:0:100::/112' };
  const pods = [pod('10.244.1.5', 'fd00:0:0:1::5'), pod('10.244.0.7', 'fd00::7'), pod('10.244.0.8', 'fd01::8')];
  expect(peerOf(node, pods, { ...own, ipv6 })).toEqual({
    underlay: '192.0.2.2',
    own: '10.244.1.254',
    own6: 'fd00:0:0:1::fe',
    addresses: ['198.51.100.2', '2001:db8::2', '2001:db8::abcd:1'],
    ranges: ['10.244.1.0/24', 'fd00:0:0:1::/64', '10.244.0.7/32', '10.244.0.8/32', 'fd00::7/128'],
  });
  const claimed = { ...ipv6, podRange: 'fd00:0:0:1::/64' };
  for (const other of [undefined, claimed])
    expect(peerOf(node, [], { ...own, ipv6: other })?.ranges).toEqual(['10.244.1.0/24']);
});
