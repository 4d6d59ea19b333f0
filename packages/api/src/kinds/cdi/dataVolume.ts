import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, string, struct } from '../../schema.ts';
import { ageDate, phaseColumn } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { DataVolumeCondition } from './cdiParts.ts';
import { DataVolumeSpec } from './dataVolumeSpec.ts';

export const DataVolumeStatus = struct('io.kubevirt.cdi.v1beta1.DataVolumeStatus', 'How a DataVolume is doing.', {
  claimName: optional(string, 'The claim that it fills.'),
  conditions: optional(list(DataVolumeCondition), 'Observations about it: Bound, Ready and Running.'),
  phase: optional(string, 'How far it has come, such as Pending, ImportInProgress, UploadReady or Succeeded.'),
  progress: optional(string, 'Percent that are done, or N/A.'),
  restartCount: optional(int32, 'How often the work was started again.'),
});
export interface DataVolumeStatus extends Infer<typeof DataVolumeStatus> {}

export const DataVolumeSchema = struct(
  'io.kubevirt.cdi.v1beta1.DataVolume',
  'A claim, and the data that it is filled with.',
  {
    ...objectFields,
    spec: required(DataVolumeSpec, 'What is wanted.'),
    status: optional(DataVolumeStatus, 'What was last observed. Written by the system.'),
  },
);
export interface DataVolume extends Infer<typeof DataVolumeSchema> {}

export const DataVolume = defineKind<DataVolume>({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'DataVolume',
  plural: 'datavolumes',
  namespaced: true,
  shortNames: ['dv', 'dvs'],
  categories: ['all'],
  schema: DataVolumeSchema,
  columns: [
    phaseColumn,
    { name: 'Progress', type: 'string', jsonPath: '.status.progress', description: 'Percent that are done, or N/A.' },
    {
      name: 'Restarts',
      type: 'integer',
      jsonPath: '.status.restartCount',
      description: 'How often the work was started again.',
    },
    ageDate,
  ],
});
