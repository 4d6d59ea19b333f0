import { describe, expect, it } from 'vitest';
import type { Cell, Kind } from '../../kind.ts';
import { creationTimestamp, row } from '../../testing/row.ts';
import { StorageClass } from '../storage/storageClass.ts';
import { PersistentVolume } from './persistentVolume.ts';
import { PersistentVolumeClaim } from './persistentVolumeClaim.ts';

const cases: [string, Kind, object, [string, Cell][]][] = [
  [
    'claim that waits',
    PersistentVolumeClaim,
    { spec: { storageClassName: 'fast' }, status: { phase: 'Pending', capacity: { storage: '1Gi' } } },
    [
      ['Status', 'Pending'],
      ['Volume', ''],
      ['Capacity', ''],
      ['Access Modes', ''],
      ['StorageClass', 'fast'],
      ['VolumeAttributesClass', '<unset>'],
      ['Age', '24h'],
    ],
  ],
  [
    'claim that is going',
    PersistentVolumeClaim,
    {
      metadata: { deletionTimestamp: creationTimestamp },
      spec: { volumeName: 'pv' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
    },
    [
      ['Status', 'Terminating'],
      ['Volume', 'pv'],
      ['Capacity', '1Gi'],
      ['Access Modes', 'RWO,RWX'],
      ['StorageClass', ''],
      ['VolumeAttributesClass', '<unset>'],
      ['Age', '24h'],
    ],
  ],
  [
    'volume',
    PersistentVolume,
    {
      spec: {
        capacity: { storage: '2Gi' },
        accessModes: ['ReadWriteOncePod'],
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { namespace: 'n', name: 'c' },
      },
      status: { phase: 'Bound' },
    },
    [
      ['Capacity', '2Gi'],
      ['Access Modes', 'RWOP'],
      ['Reclaim Policy', 'Retain'],
      ['Status', 'Bound'],
      ['Claim', 'n/c'],
      ['StorageClass', ''],
      ['VolumeAttributesClass', '<unset>'],
      ['Reason', ''],
      ['Age', '24h'],
    ],
  ],
  [
    'default storage class',
    StorageClass,
    {
      metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'p',
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    },
    [
      ['Name', 'x (default)'],
      ['Provisioner', 'p'],
      ['ReclaimPolicy', 'Delete'],
      ['VolumeBindingMode', 'Immediate'],
      ['AllowVolumeExpansion', false],
      ['Age', '24h'],
    ],
  ],
];

describe('storage columns', () => {
  it.each(cases)('%s', (_, kind, object, expected) => {
    expect(row(kind, object)).toEqual(expected);
  });
});
