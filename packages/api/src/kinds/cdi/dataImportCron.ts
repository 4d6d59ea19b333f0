import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, oneOf, string, struct } from '../../schema.ts';
import { nullableTime, optional, required, templateMetadata } from '../customResource.ts';
import { DataImportCronCondition } from './cdiParts.ts';
import { DataVolumeStatus } from './dataVolume.ts';
import { DataVolumeSourcePVC } from './dataVolumeSource.ts';
import { DataVolumeSpec } from './dataVolumeSpec.ts';

export const DataImportCronTemplate = struct(
  'io.kubevirt.cdi.v1beta1.DataImportCronTemplate',
  'What the DataVolumes of a schedule are made from.',
  {
    apiVersion: optional(string, 'Group and version of the object.'),
    kind: optional(string, 'Kind of the object.'),
    metadata: optional(templateMetadata, 'Labels and annotations for the DataVolumes.'),
    spec: required(DataVolumeSpec, 'What the DataVolumes are made of.'),
    status: optional(DataVolumeStatus, 'Not used.'),
  },
);
export interface DataImportCronTemplate extends Infer<typeof DataImportCronTemplate> {}

export const DataImportCronSpec = struct('io.kubevirt.cdi.v1beta1.DataImportCronSpec', 'What to import, and when.', {
  garbageCollect: optional(string, 'Whether old imports go: Outdated or Never. Outdated when missing.'),
  importsToKeep: optional(int32, 'How many imports stay; 3 when missing.'),
  managedDataSource: required(string, 'DataSource that stands for the newest import.'),
  retentionPolicy: optional(oneOf('None', 'All'), 'What stays when the schedule goes: All or None. All when missing.'),
  schedule: required(string, 'When, as a line of cron. Empty for imports that are asked for.'),
  serviceAccountName: optional(string, 'Service account of the pods that do the work.'),
  template: required(DataImportCronTemplate, 'What the DataVolumes are made from.'),
});
export interface DataImportCronSpec extends Infer<typeof DataImportCronSpec> {}

export const ImportStatus = struct('io.kubevirt.cdi.v1beta1.ImportStatus', 'An import that is under way.', {
  DataVolumeName: required(string, 'The DataVolume.'),
  Digest: required(string, 'Digest of the image.'),
});
export interface ImportStatus extends Infer<typeof ImportStatus> {}

export const DataImportCronStatus = struct('io.kubevirt.cdi.v1beta1.DataImportCronStatus', 'How a schedule is doing.', {
  conditions: optional(list(DataImportCronCondition), 'Observations about it: Progressing and UpToDate.'),
  currentImports: optional(list(ImportStatus), 'Imports that are under way.'),
  lastExecutionTimestamp: optional(nullableTime, 'When it last looked for something new.'),
  lastImportTimestamp: optional(nullableTime, 'When it last imported something.'),
  lastImportedPVC: optional(DataVolumeSourcePVC, 'The newest import.'),
  sourceFormat: optional(string, 'What imports are kept as: pvc or snapshot.'),
});
export interface DataImportCronStatus extends Infer<typeof DataImportCronStatus> {}

export const DataImportCronSchema = struct(
  'io.kubevirt.cdi.v1beta1.DataImportCron',
  'Imports an image again and again, and keeps a DataSource at the newest.',
  {
    ...objectFields,
    spec: required(DataImportCronSpec, 'What is wanted.'),
    status: optional(DataImportCronStatus, 'What was last observed. Written by the system.'),
  },
);
export interface DataImportCron extends Infer<typeof DataImportCronSchema> {}

export const DataImportCron = defineKind<DataImportCron>({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'DataImportCron',
  plural: 'dataimportcrons',
  namespaced: true,
  shortNames: ['dic', 'dics'],
  categories: ['all'],
  schema: DataImportCronSchema,
  columns: [
    { name: 'Format', type: 'string', jsonPath: '.status.sourceFormat', description: 'What imports are kept as.' },
  ],
});
