import type { PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { BOUND_BY_CONTROLLER, PROVISIONED_BY } from '@vireo/api/kinds/core/volumeNames.ts';
import { expect, it } from 'vitest';
import { decideVolume } from './decideVolume.ts';

const reference = { name: 'data', namespace: 'shop', uid: 'u1' };

const volume = (spec: PersistentVolume['spec'], annotations: Record<string, string> = {}): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v', annotations },
  spec,
});

const claim = (uid: string, volumeName: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'shop', uid },
  spec: { volumeName },
});

const chosen = volume({ claimRef: reference }, { [BOUND_BY_CONTROLLER]: 'yes' });
const made = volume({ claimRef: reference, persistentVolumeReclaimPolicy: 'Delete' }, { [PROVISIONED_BY]: 'p' });

it.each<[string, PersistentVolume, PersistentVolumeClaim | undefined, unknown]>([
  ['free without a claim', volume({}), undefined, { action: 'phase', phase: 'Available' }],
  [
    'free while the claim that it waits for does not exist',
    volume({ claimRef: { name: 'data', namespace: 'shop' } }),
    undefined,
    { action: 'phase', phase: 'Available' },
  ],
  ['bound to its claim', chosen, claim('u1', 'v'), { action: 'phase', phase: 'Bound' }],
  ['released when its claim is gone', chosen, undefined, { action: 'release' }],
  ['released when another claim has the name', chosen, claim('u9', ''), { action: 'release' }],
  ['left to the claim that is about to bind', chosen, claim('u1', ''), { action: 'none' }],
  ['freed when its claim found another', chosen, claim('u1', 'w'), { action: 'unbind', keepsName: false }],
  [
    'kept for the name where a user wrote it',
    volume({ claimRef: reference }),
    claim('u1', 'w'),
    { action: 'unbind', keepsName: true },
  ],
  ['given up when it was made too late', made, claim('u1', 'w'), { action: 'release' }],
])('a volume is %s', (_, of, its, expected) => {
  expect(decideVolume(of, its)).toEqual(expected);
});
