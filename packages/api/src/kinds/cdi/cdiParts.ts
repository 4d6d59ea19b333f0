import { type Infer, string, struct } from '../../schema.ts';
import { nullableTime, optional, required } from '../customResource.ts';

const stateFields = {
  lastHeartbeatTime: optional(nullableTime, 'When anything of the condition last changed.'),
  lastTransitionTime: optional(nullableTime, 'When the status of the condition last changed.'),
  message: optional(string, 'Human-readable details about the last transition.'),
  reason: optional(string, 'Reason for the last transition as one CamelCase word.'),
  status: required(string, 'Whether the condition holds: True, False or Unknown.'),
  type: required(string, 'Name of the condition, such as Ready or Running.'),
} as const;

export const DataVolumeCondition = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeCondition',
  'A condition of a DataVolume: Bound, Ready or Running.',
  stateFields,
);
export interface DataVolumeCondition extends Infer<typeof DataVolumeCondition> {}

export const DataSourceCondition = struct(
  'io.kubevirt.cdi.v1beta1.DataSourceCondition',
  'A condition of a DataSource, such as Ready.',
  stateFields,
);
export interface DataSourceCondition extends Infer<typeof DataSourceCondition> {}

export const DataImportCronCondition = struct(
  'io.kubevirt.cdi.v1beta1.DataImportCronCondition',
  'A condition of a DataImportCron: Progressing or UpToDate.',
  stateFields,
);
export interface DataImportCronCondition extends Infer<typeof DataImportCronCondition> {}

export const CdiCondition = struct(
  'io.kubevirt.cdi.v1beta1.Condition',
  'A condition of the CDI installation or of a StorageProfile.',
  stateFields,
);
export interface CdiCondition extends Infer<typeof CdiCondition> {}
