import type { Node, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { UPLOAD_TARGET } from '@vireo/api/kinds/cdi/names.ts';
import { sharedLabel } from '@vireo/api/kinds/core/volumeNames.ts';
import { MANAGED_BY } from '@vireo/api/kinds/volumesnapshot/names.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { expect, it } from 'vitest';
import { type ContentManagerState, contentManagerOf, type ManagerState, managerOf } from './manager.ts';

const node = (name: string, status = 'True', more: Partial<Node> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [sharedLabel('x1')]: 'true' } },
  status: { conditions: [{ type: 'Ready', status }] },
  ...more,
});
const volume: PersistentVolume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pvc-1' },
  spec: {
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: sharedLabel('x1'), operator: 'Exists' }] }] },
    },
  },
};
const filling: PersistentVolumeClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'disk', annotations: { [UPLOAD_TARGET]: '' } },
};
const off = { spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] } };
const without = { metadata: { name: 'b' } };

it.each<[string, Partial<ManagerState>, string]>([
  ['stays', { current: 'b' }, 'b'],
  ['follows the guest', { current: 'a', guestNode: 'b' }, 'b'],
  ['does not follow a guest to an unreachable node', { guestNode: 'b', nodes: [node('a'), node('b', 'Unknown')] }, 'a'],
  ['leaves an unreachable node', { current: 'b', nodes: [node('a'), node('b', 'Unknown')] }, 'a'],
  ['leaves a node that lost the directory', { current: 'b', nodes: [node('a'), node('b', 'True', without)] }, 'a'],
  [
    'waits for an unreachable node that fills it',
    { current: 'b', claim: filling, nodes: [node('a'), node('b', 'Unknown')] },
    'b',
  ],
  [
    'does not wait for one that is off',
    { current: 'b', claim: filling, nodes: [node('a'), node('b', 'Unknown', off)] },
    'a',
  ],
  ['waits for one whose Node was removed: its host may still write', { current: 'c', claim: filling }, 'c'],
])('the manager of a volume %s', (_, state, expected) => {
  const base = { volume, claim: undefined, current: 'a', guestNode: undefined, nodes: [node('a'), node('b')] };
  expect(managerOf({ ...base, ...state })).toBe(expected);
});

const content = (status?: VolumeSnapshotContent['status']): VolumeSnapshotContent => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotContent',
  metadata: { name: 'snapcontent-1', labels: { [MANAGED_BY]: 'b' } },
  spec: {
    deletionPolicy: 'Delete',
    driver: 'vireo.io/shared',
    source: { volumeHandle: 'pvc-1' },
    volumeSnapshotRef: { name: 'moment', namespace: 'shop' },
  },
  ...(status && { status }),
});
const taken = content({ readyToUse: true });

it.each<[string, Partial<ContentManagerState>, string]>([
  ['that is yet to be taken follows its volume', { volumeManager: 'a' }, 'a'],
  ['that is yet to be taken waits for a volume that nobody reaches', { volumeManager: 'c' }, 'b'],
  ['that was taken stays', { content: taken, volumeManager: 'a' }, 'b'],
  ['stays on a node that is only unreachable', { content: taken, nodes: [node('a'), node('b', 'Unknown')] }, 'b'],
  ['leaves a node that is gone', { content: taken, nodes: [node('a')] }, 'a'],
  ['leaves a node that is powered off', { content: taken, nodes: [node('a'), node('b', 'Unknown', off)] }, 'a'],
  ['goes to no node without the directory', { content: taken, id: 'y2', nodes: [node('a')] }, 'b'],
])('a snapshot %s', (_, state, expected) => {
  const given = { content: content(), volumeManager: 'b', id: 'x1', nodes: [node('a'), node('b')], ...state };
  expect(contentManagerOf(given)).toBe(expected);
});
