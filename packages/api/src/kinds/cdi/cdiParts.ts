import { type Infer, string, struct } from '../../schema.ts';
import { nullableTime, optional, required } from '../customResource.ts';

const stateFields = {
  lastHeartbeatTime: optional(nullableTime, 'When anything of the condition last changed.'),
  lastTransitionTime: optional(nullableTime, 'When the status of the condition last changed.'),
  message: optional(string, 'The same in words, for people.'),
  reason: optional(string, 'Why, in one CamelCase word.'),
  status: required(string, 'True, False or Unknown.'),
  type: required(string, 'What the condition is about.'),
} as const;

export const DataVolumeCondition = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeCondition',
  'One observation about a DataVolume.',
  stateFields,
);
export interface DataVolumeCondition extends Infer<typeof DataVolumeCondition> {}

export const DataSourceCondition = struct(
  'io.kubevirt.cdi.v1beta1.DataSourceCondition',
  'One observation about a DataSource.',
  stateFields,
);
export interface DataSourceCondition extends Infer<typeof DataSourceCondition> {}

export const DataImportCronCondition = struct(
  'io.kubevirt.cdi.v1beta1.DataImportCronCondition',
  'One observation about a DataImportCron.',
  stateFields,
);
export interface DataImportCronCondition extends Infer<typeof DataImportCronCondition> {}

export const CdiCondition = struct(
  'io.kubevirt.cdi.v1beta1.Condition',
  'One observation about the importer or a storage profile.',
  stateFields,
);
export interface CdiCondition extends Infer<typeof CdiCondition> {}
