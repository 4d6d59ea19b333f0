import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const VolumeNodeResources = struct('io.k8s.api.storage.v1.VolumeNodeResources', '', {
  count: opt(1, int32),
});
export interface VolumeNodeResources extends Infer<typeof VolumeNodeResources> {}

export const CSINodeDriver = struct('io.k8s.api.storage.v1.CSINodeDriver', '', {
  allocatable: opt(4, VolumeNodeResources),
  name: req(1, string),
  nodeID: req(2, string),
  topologyKeys: opt(3, list(string, 'atomic')),
});
export interface CSINodeDriver extends Infer<typeof CSINodeDriver> {}

export const CSINodeSpec = struct('io.k8s.api.storage.v1.CSINodeSpec', '', {
  drivers: req(1, list(CSINodeDriver, ['name']), { patch: 'merge', key: 'name' }),
});
export interface CSINodeSpec extends Infer<typeof CSINodeSpec> {}

export const CSINodeSchema = struct('io.k8s.api.storage.v1.CSINode', '', {
  ...objectFields,
  spec: req(2, CSINodeSpec),
});
export interface CSINode extends Infer<typeof CSINodeSchema> {}

export const CSINode = defineKind<CSINode>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  plural: 'csinodes',
  namespaced: false,
  schema: CSINodeSchema,
  columns: [
    {
      name: 'Drivers',
      type: 'integer',
      description: 'How many drivers the node has.',
      value: ({ spec }) => spec.drivers.length,
    },
    ageColumn,
  ],
});
