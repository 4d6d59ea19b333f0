import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int64, oneOf, string, struct } from '../../schema.ts';
import { ObjectReference } from '../core/references.ts';
import { ageDate, readyToUseColumn } from '../customColumns.ts';
import { optional, required, within } from '../customResource.ts';
import { has, VolumeSnapshotError } from './volumeSnapshot.ts';

export const VolumeSnapshotContentSource = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotContentSource',
  'Source of the content. Set exactly one field.',
  {
    snapshotHandle: optional(string, 'A snapshot that exists already, as the driver knows it.'),
    volumeHandle: optional(string, 'The volume, as the driver knows it.'),
  },
  { oneOf: [has('snapshotHandle'), has('volumeHandle')] },
);
export interface VolumeSnapshotContentSource extends Infer<typeof VolumeSnapshotContentSource> {}

export const VolumeSnapshotContentSpec = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotContentSpec',
  'Driver, source and policy of a VolumeSnapshotContent.',
  {
    deletionPolicy: required(oneOf('Delete', 'Retain'), 'What happens to the data when the snapshot is deleted.'),
    driver: required(string, 'Name of the CSI driver that holds the snapshot.'),
    source: required(VolumeSnapshotContentSource, 'Source of the snapshot. Cannot be changed.'),
    sourceVolumeMode: optional(string, 'Mode of the volume: Filesystem or Block.'),
    volumeSnapshotClassName: optional(string, 'Name of the VolumeSnapshotClass.'),
    volumeSnapshotRef: required(ObjectReference, 'The VolumeSnapshot that this content is bound to.'),
  },
);
export interface VolumeSnapshotContentSpec extends Infer<typeof VolumeSnapshotContentSpec> {}

export const VolumeSnapshotContentStatus = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotContentStatus',
  'Observed state of a VolumeSnapshotContent.',
  {
    creationTime: optional(int64, 'The moment that it holds, in nanoseconds since 1970.'),
    error: optional(VolumeSnapshotError, 'The last error that occurred.'),
    readyToUse: optional(boolean, 'Whether the snapshot can be restored. Missing while that is unknown.'),
    restoreSize: optional(within(0, undefined, int64), 'The least size of a volume that it is restored to, in bytes.'),
    snapshotHandle: optional(string, 'The snapshot, as the driver knows it.'),
    volumeGroupSnapshotHandle: optional(string, 'The group that it was made with, as the driver knows it.'),
  },
);
export interface VolumeSnapshotContentStatus extends Infer<typeof VolumeSnapshotContentStatus> {}

export const VolumeSnapshotContentSchema = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotContent',
  'Data of a VolumeSnapshot as the driver holds it.',
  {
    ...objectFields,
    spec: required(VolumeSnapshotContentSpec, 'Desired state of the VolumeSnapshotContent.'),
    status: optional(VolumeSnapshotContentStatus, 'Observed state of the VolumeSnapshotContent. The system writes it.'),
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
      description: 'What happens to the data when the snapshot is deleted.',
    },
    { name: 'Driver', type: 'string', jsonPath: '.spec.driver', description: 'Name of the CSI driver.' },
    {
      name: 'VolumeSnapshotClass',
      type: 'string',
      jsonPath: '.spec.volumeSnapshotClassName',
      description: 'Name of the VolumeSnapshotClass.',
    },
    {
      name: 'VolumeSnapshot',
      type: 'string',
      jsonPath: '.spec.volumeSnapshotRef.name',
      description: 'Name of the bound VolumeSnapshot.',
    },
    {
      name: 'VolumeSnapshotNamespace',
      type: 'string',
      jsonPath: '.spec.volumeSnapshotRef.namespace',
      description: 'Namespace of the bound VolumeSnapshot.',
    },
    ageDate,
  ],
});
