import type { Node, PersistentVolumeClaim } from '@vireo/api';
import { BIND_IMMEDIATE } from '@vireo/api/kinds/cdi/names.ts';
import { FREE_STORAGE, LOCAL_PROVISIONER, SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import { SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { describe, expect, it } from 'vitest';
import { decidePlacement, type PlacementState } from './decide.ts';
import { type Consumer, freeBytesOf } from './nodes.ts';

const GIB = 1024 ** 3;

interface NodeShape {
  readonly free?: number;
  readonly isReady?: boolean;
  readonly spec?: Node['spec'];
  readonly labels?: Record<string, string>;
  readonly kvm?: string;
  readonly memory?: string;
}

const node = (name: string, shape: NodeShape = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: { [SCHEDULABLE_LABEL]: 'true', ...shape.labels },
    annotations: { [FREE_STORAGE]: String((shape.free ?? 100) * GIB) },
  },
  spec: shape.spec,
  status: {
    allocatable: { 'devices.kubevirt.io/kvm': shape.kvm ?? '1000', memory: shape.memory ?? '64Gi' },
    conditions: [{ type: 'Ready', status: shape.isReady === false ? 'Unknown' : 'True' }],
  },
});

const claim = (annotations: Record<string, string> = {}, spec: PersistentVolumeClaim['spec'] = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'disk', namespace: 'shop', annotations },
  spec: { resources: { requests: { storage: '10Gi' } }, ...spec },
});

const consumer = (spec: Partial<Consumer['spec']> = {}, nodes: string[] = [], leaves?: string): Consumer => ({
  what: 'VirtualMachine shop/web',
  spec: { domain: { devices: {} }, ...spec },
  nodes,
  leaves,
});

const decide = (state: Partial<PlacementState> & { isLate?: boolean }) =>
  decidePlacement({
    claim: claim(),
    storageClass: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'local' },
      provisioner: LOCAL_PROVISIONER,
      volumeBindingMode: state.isLate ? 'WaitForFirstConsumer' : 'Immediate',
    },
    hasVolume: false,
    nodes: [node('a'), node('b')],
    origin: undefined,
    consumers: [],
    promisedBytes: () => 0,
    freeBytes: (of) => freeBytesOf(of) ?? 0,
    ...state,
  });

const chosen = (name: string) => ({ action: 'select', node: name });
const none = { action: 'none' };
const selected = (name: string) => claim({ [SELECTED_NODE]: name });

describe('the node of a claim', () => {
  it.each<[string, Parameters<typeof decide>[0], object]>([
    ['is the first of equals', {}, chosen('a')],
    ['is the one with most space', { nodes: [node('a'), node('b', { free: 200 })] }, chosen('b')],
    [
      'counts what is promised to others',
      { promisedBytes: (of) => (of.metadata.name === 'a' ? 20 * GIB : 0) },
      chosen('b'),
    ],
    ['is not a cordoned one', { nodes: [node('a', { spec: { unschedulable: true } }), node('b')] }, chosen('b')],
    ['is a cordoned one where all are', { nodes: [node('a', { spec: { unschedulable: true } })] }, chosen('a')],
    [
      'is not a tainted one',
      { nodes: [node('a', { spec: { taints: [{ key: 'disk', effect: 'NoSchedule' }] } }), node('b')] },
      chosen('b'),
    ],
    [
      'is one of a virtual kubelet, which launchers tolerate',
      {
        nodes: [node('a', { spec: { taints: [{ key: 'virtual-kubelet.io/provider', effect: 'NoSchedule' }] } })],
      },
      chosen('a'),
    ],
    ['has KVM where some have', { nodes: [node('a', { kvm: '0' }), node('b', { free: 20 })] }, chosen('b')],
    ['has enough space, before it has most', { nodes: [node('a', { free: 5 }), node('b', { free: 11 })] }, chosen('b')],
    ['is ready', { nodes: [node('a', { isReady: false }), node('b')] }, chosen('b')],
    [
      'has the memory of its guest',
      {
        nodes: [node('a', { memory: '2Gi', free: 500 }), node('b')],
        consumers: [consumer({ domain: { devices: {}, memory: { guest: '4Gi' } } })],
      },
      chosen('b'),
    ],
    [
      'is one that its VM may run on',
      {
        nodes: [node('a'), node('b', { labels: { zone: 'b' } })],
        consumers: [consumer({ nodeSelector: { zone: 'b' } })],
      },
      chosen('b'),
    ],
    [
      'is missing where its VM may run on none',
      { consumers: [consumer({ nodeSelector: { zone: 'c' } })] },
      {
        action: 'wait',
        message: 'VirtualMachine shop/web can run on none of the nodes that can make the volume: a, b',
      },
    ],
    ['is that of the other disks of its VM', { consumers: [consumer({}, ['b'])] }, chosen('b')],
    [
      'waits for that of the other disks',
      { nodes: [node('a'), node('b', { isReady: false })], consumers: [consumer({}, ['b'])] },
      { action: 'wait', message: 'VirtualMachine shop/web can only run on b, which cannot make the volume now' },
    ],
    ['is not the one that a guest leaves for the claim', { consumers: [consumer({}, [], 'a')] }, chosen('b')],
    [
      'is missing where only the node that the guest leaves could make it',
      { nodes: [node('a')], consumers: [consumer({}, [], 'a')] },
      {
        action: 'wait',
        message: 'VirtualMachine shop/web moves to the volume from a, and no other node can make it',
      },
    ],
    ['is that of the data to copy', { origin: { node: 'b' } }, chosen('b')],
    [
      'waits for the data to copy',
      { origin: { problem: 'source PersistentVolumeClaim shop/golden does not exist' } },
      { action: 'wait', message: 'source PersistentVolumeClaim shop/golden does not exist' },
    ],
    ['does not wait where there is no choice', { nodes: [node('a')], origin: { problem: '…' } }, chosen('a')],
    [
      'waits for the node of the data',
      { origin: { node: 'c' } },
      { action: 'wait', message: 'the data to copy is on node c, which does not exist' },
    ],
    [
      'is none where the data and the other disks are apart',
      { origin: { node: 'a' }, consumers: [consumer({}, ['b'])] },
      {
        action: 'wait',
        message:
          'the data to copy is on node a, but VirtualMachine shop/web has its other disks on b: ' +
          'copy them to one node, or use a class of a shared directory',
      },
    ],
    ['stays', { claim: selected('b') }, none],
    ['changes when it is unreachable and has made nothing', { claim: selected('c'), nodes: [node('a')] }, chosen('a')],
    ['stays when it has made the volume', { claim: selected('c'), hasVolume: true }, none],
    ['follows the data', { claim: selected('a'), origin: { node: 'b' } }, chosen('b')],
    ['is nobody’s matter on a server without nodes', { nodes: [] }, none],
    [
      'waits until one is ready',
      { nodes: [node('a', { isReady: false })] },
      { action: 'wait', message: 'no node that can make the volume is ready: a' },
    ],
    ['is the scheduler’s to choose where the class waits', { isLate: true }, none],
    [
      'is chosen where the data is wanted at once',
      { isLate: true, claim: claim({ [BIND_IMMEDIATE]: '' }) },
      chosen('a'),
    ],
    [
      'is taken back where the scheduler chose one that is unreachable',
      { isLate: true, claim: selected('a'), nodes: [node('a', { isReady: false })] },
      {
        action: 'clear',
        message: 'node a, which was to make the volume, is not ready: another node will be chosen',
      },
    ],
    ['is known where the claim is bound', { claim: claim({}, { volumeName: 'pv' }) }, none],
  ])('%s', (_, state, expected) => {
    expect(decide(state)).toEqual(expected);
  });
});
