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
  'Template for the DataVolumes that the imports create.',
  {
    apiVersion: optional(string, 'Group and version of the DataVolume.'),
    kind: optional(string, 'Kind of the object: DataVolume.'),
    metadata: optional(templateMetadata, 'Labels and annotations of the created DataVolumes.'),
    spec: required(DataVolumeSpec, 'Source and storage of the created DataVolumes.'),
    status: optional(DataVolumeStatus, 'Always empty. Older clients send it.'),
  },
);
export interface DataImportCronTemplate extends Infer<typeof DataImportCronTemplate> {}

export const DataImportCronSpec = struct(
  'io.kubevirt.cdi.v1beta1.DataImportCronSpec',
  'What to import, on which schedule, and how many imports to keep.',
  {
    garbageCollect: optional(string, 'Whether outdated imports are deleted: Outdated or Never. Defaults to Outdated.'),
    importsToKeep: optional(int32, 'Number of imports to keep. Defaults to 3.'),
    managedDataSource: required(string, 'DataSource that refers to the latest import.'),
    retentionPolicy: optional(
      oneOf('None', 'All'),
      'What is kept when the DataImportCron is deleted: All or None. Defaults to All.',
    ),
    schedule: required(string, 'When, as a line of cron. Empty for imports that are asked for.'),
    serviceAccountName: optional(string, 'Service account of the pods that do the work.'),
    template: required(DataImportCronTemplate, 'Template for the DataVolumes that the imports create.'),
  },
);
export interface DataImportCronSpec extends Infer<typeof DataImportCronSpec> {}

export const ImportStatus = struct('io.kubevirt.cdi.v1beta1.ImportStatus', 'An import that is in progress.', {
  DataVolumeName: required(string, 'Name of the DataVolume that is being filled.'),
  Digest: required(string, 'Digest of the image that is imported.'),
});
export interface ImportStatus extends Infer<typeof ImportStatus> {}

export const DataImportCronStatus = struct(
  'io.kubevirt.cdi.v1beta1.DataImportCronStatus',
  'Observed state of a DataImportCron.',
  {
    conditions: optional(list(DataImportCronCondition), 'Conditions of the DataImportCron: Progressing and UpToDate.'),
    currentImports: optional(list(ImportStatus), 'Imports that are in progress.'),
    lastExecutionTimestamp: optional(nullableTime, 'Time at which the schedule last checked for a new image.'),
    lastImportTimestamp: optional(nullableTime, 'Time of the last import.'),
    lastImportedPVC: optional(DataVolumeSourcePVC, 'Claim that the last import filled.'),
    sourceFormat: optional(string, 'How imports are stored: pvc or snapshot.'),
  },
);
export interface DataImportCronStatus extends Infer<typeof DataImportCronStatus> {}

export const DataImportCronSchema = struct(
  'io.kubevirt.cdi.v1beta1.DataImportCron',
  'Imports an image on a schedule and keeps a DataSource up to date with the newest import.',
  {
    ...objectFields,
    spec: required(DataImportCronSpec, 'Desired state of the DataImportCron.'),
    status: optional(DataImportCronStatus, 'Observed state of the DataImportCron. The system writes it.'),
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
    {
      name: 'Format',
      type: 'string',
      jsonPath: '.status.sourceFormat',
      description: 'Whether imports are kept as pvc or snapshot.',
    },
  ],
});
