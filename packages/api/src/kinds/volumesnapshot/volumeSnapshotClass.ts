import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, map, oneOf, string, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';

export const VolumeSnapshotClassSchema = struct(
  'io.k8s.storage.snapshot.v1.VolumeSnapshotClass',
  'How snapshots of one driver are made.',
  {
    ...objectFields,
    deletionPolicy: required(oneOf('Delete', 'Retain'), 'What becomes of the data when the snapshot goes.'),
    driver: required(string, 'The driver.'),
    parameters: optional(map(string), 'Settings for the driver.'),
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
    { name: 'Driver', type: 'string', jsonPath: '.driver', description: 'The driver.' },
    {
      name: 'DeletionPolicy',
      type: 'string',
      jsonPath: '.deletionPolicy',
      description: 'What becomes of the data when the snapshot goes.',
    },
    ageDate,
  ],
});
