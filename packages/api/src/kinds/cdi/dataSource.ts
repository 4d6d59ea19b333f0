import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';
import { DataSourceCondition } from './cdiParts.ts';
import { DataVolumeSourcePVC, DataVolumeSourceSnapshot } from './dataVolumeSource.ts';

export const DataSourceRefSourceDataSource = struct(
  'io.kubevirt.cdi.v1beta1.DataSourceRefSourceDataSource',
  'Refers to another DataSource.',
  {
    name: required(string, 'Name of the DataSource.'),
    namespace: required(string, 'Namespace of the DataSource.'),
  },
);
export interface DataSourceRefSourceDataSource extends Infer<typeof DataSourceRefSourceDataSource> {}

export const DataSourceSource = struct(
  'io.kubevirt.cdi.v1beta1.DataSourceSource',
  'What the DataSource refers to. Set exactly one field.',
  {
    dataSource: optional(DataSourceRefSourceDataSource, 'Another DataSource in the same namespace.'),
    pvc: optional(DataVolumeSourcePVC, 'A PersistentVolumeClaim to clone.'),
    snapshot: optional(DataVolumeSourceSnapshot, 'A VolumeSnapshot to clone.'),
  },
);
export interface DataSourceSource extends Infer<typeof DataSourceSource> {}

export const DataSourceSpec = struct('io.kubevirt.cdi.v1beta1.DataSourceSpec', 'What the DataSource refers to.', {
  source: required(DataSourceSource, 'What the DataSource refers to: a claim, a snapshot or another DataSource.'),
});
export interface DataSourceSpec extends Infer<typeof DataSourceSpec> {}

export const DataSourceStatus = struct('io.kubevirt.cdi.v1beta1.DataSourceStatus', 'Observed state of a DataSource.', {
  conditions: optional(
    list(DataSourceCondition),
    'Conditions of the DataSource. Ready tells whether it can be cloned.',
  ),
  source: optional(DataSourceSource, 'The claim or snapshot that the DataSource refers to in the end.'),
});
export interface DataSourceStatus extends Infer<typeof DataSourceStatus> {}

export const DataSourceSchema = struct(
  'io.kubevirt.cdi.v1beta1.DataSource',
  'A stable name for data to clone, such as the newest image of an operating system. DataVolumes refer to it with sourceRef.',
  {
    ...objectFields,
    spec: required(DataSourceSpec, 'Desired state of the DataSource.'),
    status: optional(DataSourceStatus, 'Observed state of the DataSource. The system writes it.'),
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
