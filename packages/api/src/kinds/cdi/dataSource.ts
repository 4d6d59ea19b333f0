import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';
import { DataSourceCondition } from './cdiParts.ts';
import { DataVolumeSourcePVC, DataVolumeSourceSnapshot } from './dataVolumeSource.ts';

export const DataSourceRefSourceDataSource = struct(
  'io.kubevirt.cdi.v1beta1.DataSourceRefSourceDataSource',
  'Another DataSource.',
  {
    name: required(string, 'Name of the DataSource.'),
    namespace: required(string, 'Namespace of the DataSource.'),
  },
);
export interface DataSourceRefSourceDataSource extends Infer<typeof DataSourceRefSourceDataSource> {}

export const DataSourceSource = struct(
  'io.kubevirt.cdi.v1beta1.DataSourceSource',
  'What a DataSource stands for. One of them.',
  {
    dataSource: optional(DataSourceRefSourceDataSource, 'Another DataSource, in the same namespace.'),
    pvc: optional(DataVolumeSourcePVC, 'A claim.'),
    snapshot: optional(DataVolumeSourceSnapshot, 'A VolumeSnapshot.'),
  },
);
export interface DataSourceSource extends Infer<typeof DataSourceSource> {}

export const DataSourceSpec = struct('io.kubevirt.cdi.v1beta1.DataSourceSpec', 'What a DataSource stands for.', {
  source: required(DataSourceSource, 'What it stands for.'),
});
export interface DataSourceSpec extends Infer<typeof DataSourceSpec> {}

export const DataSourceStatus = struct('io.kubevirt.cdi.v1beta1.DataSourceStatus', 'How a DataSource is doing.', {
  conditions: optional(list(DataSourceCondition), 'Observations about it; Ready says whether it can be used.'),
  source: optional(DataSourceSource, 'What it stands for in the end.'),
});
export interface DataSourceStatus extends Infer<typeof DataSourceStatus> {}

export const DataSourceSchema = struct(
  'io.kubevirt.cdi.v1beta1.DataSource',
  'A name for data that DataVolumes start from, such as the newest image of an operating system.',
  {
    ...objectFields,
    spec: required(DataSourceSpec, 'What is wanted.'),
    status: optional(DataSourceStatus, 'What was last observed. Written by the system.'),
  },
);
export interface DataSource extends Infer<typeof DataSourceSchema> {}

export const DataSource = defineKind<DataSource>({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'DataSource',
  plural: 'datasources',
  namespaced: true,
  shortNames: ['das'],
  categories: ['all'],
  schema: DataSourceSchema,
});
