import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, string, struct } from '../../schema.ts';
import { ageDate, phaseColumn } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { DataVolumeCondition } from './cdiParts.ts';
import { DataVolumeSpec } from './dataVolumeSpec.ts';

export const DataVolumeStatus = struct('io.kubevirt.cdi.v1beta1.DataVolumeStatus', 'Progress of a DataVolume.', {
  claimName: optional(string, 'Name of the PersistentVolumeClaim that is being filled.'),
  conditions: optional(list(DataVolumeCondition), 'Conditions of the object: Bound, Ready and Running.'),
  phase: optional(string, 'Phase of the DataVolume, such as Pending, ImportInProgress, UploadReady or Succeeded.'),
  progress: optional(string, 'Progress in percent, such as 42.0%, or N/A if it is unknown.'),
  restartCount: optional(int32, 'Number of times that the worker was restarted.'),
});
export interface DataVolumeStatus extends Infer<typeof DataVolumeStatus> {}

export const DataVolumeSchema = struct(
  'io.kubevirt.cdi.v1beta1.DataVolume',
  'Creates a PersistentVolumeClaim and fills it with data.',
  {
    ...objectFields,
    spec: required(DataVolumeSpec, 'Desired state of the DataVolume.'),
    status: optional(DataVolumeStatus, 'Observed state of the DataVolume. The system writes it.'),
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
    {
      name: 'Progress',
      type: 'string',
      jsonPath: '.status.progress',
      description: 'Progress in percent, or N/A if it is unknown.',
    },
    {
      name: 'Restarts',
      type: 'integer',
      jsonPath: '.status.restartCount',
      description: 'Number of times that the worker was restarted.',
    },
    ageDate,
  ],
});
