import type { Node, Pod } from '@vireo/api';
import type { Peer } from '@vireo/network';
import { expect, it } from 'vitest';
import { announcementPatch } from './announce.ts';
import { formerRanges, peerOf } from './peers.ts';

const KEY = 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=';
const ranges = { podRange: '10.244.0.0/24', clusterRange: '10.244.0.0/16', serviceRange: '10.96.0.0/16' };
const own = { ...ranges, hasWireguard: false };

interface NodeParts {
  readonly podCIDR?: string;
  readonly address?: string;
  readonly version?: string;
  readonly annotations?: Record<string, string>;
}
const node = ({
  podCIDR = '10.244.1.0/24',
  address = '192.0.2.12',
  version = 'v1.36.0+vireo',
  annotations = {},
}: NodeParts = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'two', annotations: { 'vireo.dev/pod-network': 'routed', ...annotations } },
  spec: { podCIDR },
  status: {
    addresses: [{ type: 'InternalIP', address }],
    nodeInfo: { kubeletVersion: version },
  } as unknown as NonNullable<Node['status']>,
});
const pod = (podIP: string, phase = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'launcher' },
  status: { podIP, phase, hostIP: '192.0.2.12' },
});

it.each<[string, NodeParts, Pod[], readonly string[] | undefined]>([
  ['a node has its range', {}, [], ['10.244.1.0/24']],
  ['guests of its range are in it', {}, [pod('10.244.1.7')], ['10.244.1.0/24']],
  ['a guest that moved there is there', {}, [pod('10.244.0.7')], ['10.244.1.0/24', '10.244.0.7/32']],
  ['two pods of one guest count once', {}, [pod('10.244.0.7'), pod('10.244.0.7')], ['10.244.1.0/24', '10.244.0.7/32']],
  ['a guest that has ended is nowhere', {}, [pod('10.244.0.7', 'Succeeded')], ['10.244.1.0/24']],
  ['a pod in the network of its host has no address of its own', {}, [pod('192.0.2.12')], ['10.244.1.0/24']],
  ['an address that is no guest’s does not move', {}, [pod('198.51.100.1')], ['10.244.1.0/24']],
  ['a node whose guests have no addresses', { annotations: { 'vireo.dev/pod-network': 'user' } }, [], undefined],
  ['a node of another kubelet', { version: 'v1.36.0' }, [], undefined],
  ['a node that claims this node’s range', { podCIDR: '10.244.0.0/23' }, [], undefined],
  ['a node whose range is not the cluster’s', { podCIDR: '172.16.0.0/24' }, [], undefined],
  ['a node without a range', { podCIDR: '' }, [], undefined],
  ['a node by an address that VXLAN does not take', { address: '2001:db8::1' }, [], undefined],
])('%s', (_, parts, pods, ranges) => {
  expect(peerOf(node(parts), pods, own)?.ranges).toEqual(ranges);
});

it.each<[string, boolean, Record<string, string>, Peer['wireguard']]>([
  ['both have it', true, { key: KEY, port: '51821' }, { publicKey: KEY, port: 51_821 }],
  ['this node has not', false, { key: KEY, port: '51821' }, undefined],
  ['the other has not', true, {}, undefined],
  ['the other’s key is none', true, { key: 'reboot', port: '51821' }, undefined],
  ['the other’s port is none', true, { key: KEY, port: '70000' }, undefined],
])('nodes use WireGuard only if both have it: %s', (_, hasWireguard, { key, port }, expected) => {
  const annotations = {
    ...(key && { 'vireo.dev/wireguard-public-key': key }),
    ...(port && { 'vireo.dev/wireguard-port': port }),
  };
  expect(peerOf(node({ annotations }), [], { ...own, hasWireguard })?.wireguard).toEqual(expected);
});

it('a node tells others all its addresses, which they find in what it tells', () => {
  const addresses = ['192.0.2.12', '198.51.100.2', '2001:db8::2'];
  const told = announcementPatch({ metadata: { name: 'two' } }, { isRouted: true, addresses });
  expect(told).toEqual({
    'vireo.dev/pod-network': 'routed',
    'vireo.dev/ipv4-addresses': '192.0.2.12,198.51.100.2',
    'vireo.dev/ipv6-addresses': '2001:db8::2',
  });
  const annotations = told as Record<string, string>;
  expect(peerOf(node({ annotations }), [], own)?.addresses).toEqual(['198.51.100.2', '2001:db8::2']);
});

const peer = (...ranges: string[]): Peer => ({ underlay: '192.0.2.13', own: '10.244.2.254', ranges });
const third = peer('10.244.2.0/24', '10.244.0.7/32');

it.each<[string, string[], Peer[], string[], Peer[]]>([
  ['a guest that is gone', ['10.244.0.7/32'], [peer('10.244.2.0/24')], ['10.244.0.7/32'], []],
  ['a guest that moved on', ['10.244.0.7/32'], [third], [], [third]],
  ['one of each', ['10.244.0.7/32', '10.244.0.8/32'], [third], ['10.244.0.8/32'], [third]],
  ['none', [], [third], [], []],
])('what a node no longer has leads to where it is now: %s', (_, former, others, gone, heirs) => {
  expect(formerRanges(former, others)).toEqual({ gone, heirs });
});
