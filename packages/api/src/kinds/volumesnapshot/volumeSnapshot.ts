import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, quantity, type Schema, string, struct, time } from '../../schema.ts';
import { ageDate, creationTimeColumn, readyToUseColumn } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';

export const VolumeSnapshotError = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotError',
  'The last error. The operation may be retried.',
  {
    message: optional(string, 'Human-readable description of the error.'),
    time: optional(time, 'Time at which the error occurred.'),
  },
);
export interface VolumeSnapshotError extends Infer<typeof VolumeSnapshotError> {}

/** Says of an object only that it has a field. */
export const has = (name: string): Schema => ({ properties: { [name]: { schema: {}, required: true } } });

export const VolumeSnapshotSource = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotSource',
  'Source of the snapshot. Set exactly one field.',
  {
    persistentVolumeClaimName: optional(string, 'The claim to make it of, in the same namespace.'),
    volumeSnapshotContentName: optional(string, 'Name of an existing VolumeSnapshotContent to use.'),
  },
  { oneOf: [has('persistentVolumeClaimName'), has('volumeSnapshotContentName')] },
);
export interface VolumeSnapshotSource extends Infer<typeof VolumeSnapshotSource> {}

export const VolumeSnapshotSpec = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotSpec',
  'Source and class of a VolumeSnapshot.',
  {
    source: required(VolumeSnapshotSource, 'Source of the snapshot. Cannot be changed.'),
    volumeSnapshotClassName: optional(
      { ...string, minLength: 1 },
      'Name of the VolumeSnapshotClass. Defaults to the default class.',
    ),
  },
);
export interface VolumeSnapshotSpec extends Infer<typeof VolumeSnapshotSpec> {}

export const VolumeSnapshotStatus = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotStatus',
  'Observed state of a VolumeSnapshot.',
  {
    boundVolumeSnapshotContentName: optional(string, 'Name of the VolumeSnapshotContent that holds the data.'),
    creationTime: optional(time, 'Point in time that the snapshot captures.'),
    error: optional(VolumeSnapshotError, 'The last error that occurred.'),
    readyToUse: optional(boolean, 'Whether the snapshot can be restored. Missing while that is unknown.'),
    restoreSize: optional(quantity, 'The least size of a claim that it is restored to.'),
    volumeGroupSnapshotName: optional(string, 'The group that it was made with.'),
  },
);
export interface VolumeSnapshotStatus extends Infer<typeof VolumeSnapshotStatus> {}

export const VolumeSnapshotSchema = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshot',
  'The data of a PersistentVolumeClaim at one point in time.',
  {
    ...objectFields,
    spec: required(VolumeSnapshotSpec, 'Desired state of the VolumeSnapshot.'),
    status: optional(VolumeSnapshotStatus, 'Observed state of the VolumeSnapshot. The system writes it.'),
  },
);
export interface VolumeSnapshot extends Infer<typeof VolumeSnapshotSchema> {}

export const VolumeSnapshot = defineKind<VolumeSnapshot>({
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshot',
  plural: 'volumesnapshots',
  namespaced: true,
  shortNames: ['vs'],
  schema: VolumeSnapshotSchema,
  columns: [
    readyToUseColumn,
    {
      name: 'SourcePVC',
      type: 'string',
      jsonPath: '.spec.source.persistentVolumeClaimName',
      description: 'The claim that it is made of.',
    },
    {
      name: 'SourceSnapshotContent',
      type: 'string',
      jsonPath: '.spec.source.volumeSnapshotContentName',
      description: 'Existing VolumeSnapshotContent that the snapshot uses.',
    },
    {
      name: 'RestoreSize',
      type: 'string',
      jsonPath: '.status.restoreSize',
      description: 'The least size of a claim that it is restored to.',
    },
    {
      name: 'SnapshotClass',
      type: 'string',
      jsonPath: '.spec.volumeSnapshotClassName',
      description: 'Name of the VolumeSnapshotClass.',
    },
    {
      name: 'SnapshotContent',
      type: 'string',
      jsonPath: '.status.boundVolumeSnapshotContentName',
      description: 'Name of the VolumeSnapshotContent that holds the data.',
    },
    creationTimeColumn,
    ageDate,
  ],
});
