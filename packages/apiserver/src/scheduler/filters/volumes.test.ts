import type { PersistentVolumeClaim } from '@vireo/api/kinds/core/persistentVolumeClaim.ts';
import { describe, expect, it } from 'vitest';
import { cluster, node, pod } from '../../testing/scheduler.ts';
import { placePod } from '../place.ts';
import { claimsAwaitingNode } from './volumes.ts';

const claim = (
  spec: PersistentVolumeClaim['spec'],
  more: Partial<PersistentVolumeClaim> = {},
): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'default' },
  spec,
  ...more,
});
const storageClass = (name: string, volumeBindingMode: string, provisioner = 'example.com/disk') => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner,
  volumeBindingMode,
});
const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv1' },
  spec: {
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n2'] }] }],
      },
    },
  },
};
const user = pod('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] });
const helpless = 'preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';

describe('VolumeBinding', () => {
  const base = {
    nodes: [node('n1'), node('n2')],
    volumes: [volume],
    classes: [
      storageClass('late', 'WaitForFirstConsumer'),
      storageClass('static', 'WaitForFirstConsumer', 'kubernetes.io/no-provisioner'),
    ],
  };
  it.each<[string, PersistentVolumeClaim[], string]>([
    ['a bound volume draws the pod to its node', [claim({ volumeName: 'pv1' })], 'n2'],
    ['a claim that waits for the pod goes anywhere', [claim({ storageClassName: 'late' })], 'n1'],
    [
      'a claim that a node was chosen for goes there',
      [
        claim(
          { storageClassName: 'late' },
          {
            metadata: {
              name: 'data',
              namespace: 'default',
              annotations: { 'volume.kubernetes.io/selected-node': 'n2' },
            },
          },
        ),
      ],
      'n2',
    ],
    ['a missing claim', [], `0/2 nodes are available: persistentvolumeclaim "data" not found. ${helpless}`],
    [
      'an unbound immediate claim',
      [claim({})],
      `0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. ${helpless}`,
    ],
    [
      'a claim on its way out',
      [claim({}, { metadata: { name: 'data', namespace: 'default', deletionTimestamp: '2026-01-01T00:00:00Z' } })],
      `0/2 nodes are available: persistentvolumeclaim "data" is being deleted. ${helpless}`,
    ],
    [
      'a volume that has gone',
      [claim({ volumeName: 'pv9' })],
      `0/2 nodes are available: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s). ${helpless}`,
    ],
    [
      'a class that provisions nothing',
      [claim({ storageClassName: 'static' })],
      `0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind. ${helpless}`,
    ],
  ])('%s', (_, claims, expected) => {
    const placement = placePod(user, cluster({ ...base, claims }));
    expect('node' in placement ? placement.node.name : placement.message).toBe(expected);
  });

  it('names the claims that wait for the node', () => {
    const view = cluster({ ...base, claims: [claim({ storageClassName: 'late' })] });
    expect(claimsAwaitingNode(user, view).map(({ metadata }) => metadata.name)).toEqual(['data']);
    const bound = cluster({ ...base, claims: [claim({ storageClassName: 'late', volumeName: 'pv1' })] });
    expect(claimsAwaitingNode(user, bound)).toEqual([]);
  });
});
