import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, map, oneOf, string, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';

export const VolumeSnapshotClassSchema = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotClass',
  'Driver and settings with which VolumeSnapshots are taken.',
  {
    ...objectFields,
    deletionPolicy: required(oneOf('Delete', 'Retain'), 'What happens to the data when the snapshot is deleted.'),
    driver: required(string, 'Name of the CSI driver that takes the snapshots.'),
    parameters: optional(map(string), 'Settings that the driver defines.'),
  },
);
export interface VolumeSnapshotClass extends Infer<typeof VolumeSnapshotClassSchema> {}

export const VolumeSnapshotClass = defineKind<VolumeSnapshotClass>({
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshotClass',
  plural: 'volumesnapshotclasses',
  namespaced: false,
  shortNames: ['vsclass', 'vsclasses'],
  schema: VolumeSnapshotClassSchema,
  columns: [
    { name: 'Driver', type: 'string', jsonPath: '.driver', description: 'Name of the CSI driver.' },
    {
      name: 'DeletionPolicy',
      type: 'string',
      jsonPath: '.deletionPolicy',
      description: 'What happens to the data when the snapshot is deleted.',
    },
    ageDate,
  ],
});
