import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, quantity, type Schema, string, struct, time } from '../../schema.ts';
import { ageDate, creationTimeColumn, readyToUseColumn } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';

export const VolumeSnapshotError = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotError',
  'What last went wrong. It may pass.',
  {
    message: optional(string, 'Details, for people.'),
    time: optional(time, 'When.'),
  },
);
export interface VolumeSnapshotError extends Infer<typeof VolumeSnapshotError> {}

/** Says of an object only that it has a field. */
export const has = (name: string): Schema => ({ properties: { [name]: { schema: {}, required: true } } });

export const VolumeSnapshotSource = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotSource',
  'What a snapshot is made of. One of the two.',
  {
    persistentVolumeClaimName: optional(string, 'The claim to make it of, in the same namespace.'),
    volumeSnapshotContentName: optional(string, 'A snapshot that exists already.'),
  },
  { oneOf: [has('persistentVolumeClaimName'), has('volumeSnapshotContentName')] },
);
export interface VolumeSnapshotSource extends Infer<typeof VolumeSnapshotSource> {}

export const VolumeSnapshotSpec = struct('io.k8s.storage.snapshot.v1.VolumeSnapshotSpec', 'What is to be kept.', {
  source: required(VolumeSnapshotSource, 'What it is made of. Cannot be changed.'),
  volumeSnapshotClassName: optional(
    { ...string, minLength: 1 },
    'Class of the snapshot; the default class when missing.',
  ),
});
export interface VolumeSnapshotSpec extends Infer<typeof VolumeSnapshotSpec> {}

export const VolumeSnapshotStatus = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotStatus',
  'How a snapshot is doing.',
  {
    boundVolumeSnapshotContentName: optional(string, 'The content that holds the data.'),
    creationTime: optional(time, 'The moment that it holds.'),
    error: optional(VolumeSnapshotError, 'What last went wrong.'),
    readyToUse: optional(boolean, 'Whether it can be restored; not known when missing.'),
    restoreSize: optional(quantity, 'The least size of a claim that it is restored to.'),
    volumeGroupSnapshotName: optional(string, 'The group that it was made with.'),
  },
);
export interface VolumeSnapshotStatus extends Infer<typeof VolumeSnapshotStatus> {}

export const VolumeSnapshotSchema = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshot',
  'The data of a claim at one moment.',
  {
    ...objectFields,
    spec: required(VolumeSnapshotSpec, 'What is wanted.'),
    status: optional(VolumeSnapshotStatus, 'What was last observed. Written by the system.'),
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
      description: 'The snapshot that existed already.',
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
      description: 'Class of the snapshot.',
    },
    {
      name: 'SnapshotContent',
      type: 'string',
      jsonPath: '.status.boundVolumeSnapshotContentName',
      description: 'The content that holds the data.',
    },
    creationTimeColumn,
    ageDate,
  ],
});
