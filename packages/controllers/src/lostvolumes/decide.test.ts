import type { PersistentVolume } from '@vireo/api';
import { LOCAL_PROVISIONER, PROVISIONED_BY } from '@vireo/api/kinds/core/volumeNames.ts';
import { expect, it } from 'vitest';
import { missingNodeOf } from './decide.ts';

const volume = (phase: string, policy = 'Delete', metadata: PersistentVolume['metadata'] = {}): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER }, ...metadata },
  spec: {
    persistentVolumeReclaimPolicy: policy,
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['gone'] }] },
        ],
      },
    },
  },
  status: { phase },
});
const deleted = { annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER }, deletionTimestamp: '2026-01-01T00:00:00Z' };

it.each<[string, PersistentVolume, boolean, string | undefined]>([
  ['a volume whose claim is gone waits for its node', volume('Released'), false, 'gone'],
  ['one that could not be removed does', volume('Failed'), false, 'gone'],
  ['one that is bound does not', volume('Bound'), false, undefined],
  ['one that is to be retained does not', volume('Released', 'Retain'), false, undefined],
  ['one that is to be retained and is deleted does', volume('Released', 'Retain', deleted), false, 'gone'],
  ['one whose node is there does not', volume('Released'), true, undefined],
  ['one of another provisioner does not', volume('Released', 'Delete', { annotations: {} }), false, undefined],
])('%s', (_, object, hasNode, expected) => {
  expect(missingNodeOf(object, () => hasNode)).toBe(expected);
});
