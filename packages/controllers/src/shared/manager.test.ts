import type { Node, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { UPLOAD_TARGET } from '@vireo/api/kinds/cdi/names.ts';
import { sharedLabel } from '@vireo/api/kinds/core/volumeNames.ts';
import { expect, it } from 'vitest';
import { type ManagerState, managerOf } from './manager.ts';

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
  ['does not follow a guest to a silent node', { guestNode: 'b', nodes: [node('a'), node('b', 'Unknown')] }, 'a'],
  ['leaves a silent node', { current: 'b', nodes: [node('a'), node('b', 'Unknown')] }, 'a'],
  ['leaves a node that lost the directory', { current: 'b', nodes: [node('a'), node('b', 'True', without)] }, 'a'],
  [
    'waits for a silent node that fills it',
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
