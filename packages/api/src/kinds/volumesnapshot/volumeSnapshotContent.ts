import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int64, oneOf, string, struct } from '../../schema.ts';
import { ObjectReference } from '../core/references.ts';
import { ageDate, readyToUseColumn } from '../customColumns.ts';
import { optional, required, within } from '../customResource.ts';
import { has, VolumeSnapshotError } from './volumeSnapshot.ts';

export const VolumeSnapshotContentSource = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotContentSource',
  'What the driver makes the snapshot of. One of the two.',
  {
    snapshotHandle: optional(string, 'A snapshot that exists already, as the driver knows it.'),
    volumeHandle: optional(string, 'The volume, as the driver knows it.'),
  },
  { oneOf: [has('snapshotHandle'), has('volumeHandle')] },
);
export interface VolumeSnapshotContentSource extends Infer<typeof VolumeSnapshotContentSource> {}

export const VolumeSnapshotContentSpec = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotContentSpec',
  'What holds the data of a snapshot.',
  {
    deletionPolicy: required(oneOf('Delete', 'Retain'), 'What becomes of the data when the snapshot goes.'),
    driver: required(string, 'The driver.'),
    source: required(VolumeSnapshotContentSource, 'What it is made of. Cannot be changed.'),
    sourceVolumeMode: optional(string, 'Mode of the volume: Filesystem or Block.'),
    volumeSnapshotClassName: optional(string, 'Class of the snapshot.'),
    volumeSnapshotRef: required(ObjectReference, 'The VolumeSnapshot that it belongs to.'),
  },
);
export interface VolumeSnapshotContentSpec extends Infer<typeof VolumeSnapshotContentSpec> {}

export const VolumeSnapshotContentStatus = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotContentStatus',
  'How the data of a snapshot is doing.',
  {
    creationTime: optional(int64, 'The moment that it holds, in nanoseconds since 1970.'),
    error: optional(VolumeSnapshotError, 'What last went wrong.'),
    readyToUse: optional(boolean, 'Whether it can be restored; not known when missing.'),
    restoreSize: optional(within(0, undefined, int64), 'The least size of a volume that it is restored to, in bytes.'),
    snapshotHandle: optional(string, 'The snapshot, as the driver knows it.'),
    volumeGroupSnapshotHandle: optional(string, 'The group that it was made with, as the driver knows it.'),
  },
);
export interface VolumeSnapshotContentStatus extends Infer<typeof VolumeSnapshotContentStatus> {}

export const VolumeSnapshotContentSchema = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotContent',
  'The data of a snapshot, as the driver keeps it.',
  {
    ...objectFields,
    spec: required(VolumeSnapshotContentSpec, 'What is wanted.'),
    status: optional(VolumeSnapshotContentStatus, 'What was last observed. Written by the system.'),
  },
);
export interface VolumeSnapshotContent extends Infer<typeof VolumeSnapshotContentSchema> {}

export const VolumeSnapshotContent = defineKind<VolumeSnapshotContent>({
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshotContent',
  plural: 'volumesnapshotcontents',
  namespaced: false,
  shortNames: ['vsc', 'vscs'],
  schema: VolumeSnapshotContentSchema,
  columns: [
    readyToUseColumn,
    {
      name: 'RestoreSize',
      type: 'integer',
      jsonPath: '.status.restoreSize',
      description: 'The least size of a volume that it is restored to, in bytes.',
    },
    {
      name: 'DeletionPolicy',
      type: 'string',
      jsonPath: '.spec.deletionPolicy',
      description: 'What becomes of the data when the snapshot goes.',
    },
    { name: 'Driver', type: 'string', jsonPath: '.spec.driver', description: 'The driver.' },
    {
      name: 'VolumeSnapshotClass',
      type: 'string',
      jsonPath: '.spec.volumeSnapshotClassName',
      description: 'Class of the snapshot.',
    },
    {
      name: 'VolumeSnapshot',
      type: 'string',
      jsonPath: '.spec.volumeSnapshotRef.name',
      description: 'Name of the VolumeSnapshot.',
    },
    {
      name: 'VolumeSnapshotNamespace',
      type: 'string',
      jsonPath: '.spec.volumeSnapshotRef.namespace',
      description: 'Namespace of the VolumeSnapshot.',
    },
    ageDate,
  ],
});
