import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const VolumeNodeResources = struct(
  'io.k8s.api.storage.v1.VolumeNodeResources',
  'Limits of a driver on a node.',
  {
    count: opt(1, int32, { pointer: true, doc: 'Maximum number of volumes on the node.' }),
  },
);
export interface VolumeNodeResources extends Infer<typeof VolumeNodeResources> {}

export const CSINodeDriver = struct('io.k8s.api.storage.v1.CSINodeDriver', 'A CSI driver on a node.', {
  allocatable: opt(4, VolumeNodeResources, 'Number of volumes that the driver can attach to the node.'),
  name: req(1, string, 'Name of the driver.'),
  nodeID: req(2, string, 'ID of the node at the driver.'),
  topologyKeys: opt(3, list(string, 'atomic'), 'Labels that tell where the node is.'),
});
export interface CSINodeDriver extends Infer<typeof CSINodeDriver> {}

export const CSINodeSpec = struct('io.k8s.api.storage.v1.CSINodeSpec', 'CSI drivers on a node.', {
  drivers: req(1, list(CSINodeDriver, ['name']), { patch: 'merge', key: 'name', doc: 'CSI drivers on the node.' }),
});
export interface CSINodeSpec extends Infer<typeof CSINodeSpec> {}

export const CSINodeSchema = struct('io.k8s.api.storage.v1.CSINode', 'CSI drivers on a node.', {
  ...objectFields,
  spec: req(2, CSINodeSpec, 'Desired state of the CSINode.'),
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
      description: 'Number of CSI drivers on the node.',
      value: ({ spec }) => spec?.drivers?.length ?? 0,
    },
    ageColumn,
  ],
});
