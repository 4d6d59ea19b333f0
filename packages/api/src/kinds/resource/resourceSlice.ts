import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int64, list, map, opt, req, string, struct } from '../../schema.ts';
import { timestamp } from '../../time.ts';
import { ageColumn } from '../columns.ts';
import { NodeSelector } from '../core/nodeSelector.ts';
import { CounterSet, DeviceAttribute, DeviceCapacity, DeviceCounterConsumption, DeviceTaint } from './deviceParts.ts';

export const Device = struct('io.k8s.api.resource.v1.Device', 'A device that can be allocated.', {
  allNodes: opt(7, boolean, { pointer: true, doc: 'Whether all nodes can use it.' }),
  allowMultipleAllocations: opt(12, boolean, { pointer: true, doc: 'Whether several claims can share it.' }),
  attributes: opt(2, map(DeviceAttribute), 'Properties by name.'),
  bindingConditions: opt(10, list(string, 'atomic'), 'Conditions that must be true before a pod is bound.'),
  bindingFailureConditions: opt(11, list(string, 'atomic'), 'Conditions that mean that a pod cannot be bound.'),
  bindsToNode: opt(9, boolean, {
    pointer: true,
    doc: 'Whether a claim can be used only on the node that was chosen for it.',
  }),
  capacity: opt(3, map(DeviceCapacity), 'How much it has of something, by name.'),
  consumesCounters: opt(4, list(DeviceCounterConsumption, 'atomic'), 'What it takes of amounts that devices share.'),
  name: req(1, string, 'Name of the device, unique in its pool.'),
  nodeName: opt(5, string, { pointer: true, doc: 'Name of the node that can use it.' }),
  nodeSelector: opt(6, NodeSelector, 'Nodes that can use it.'),
  taints: opt(8, list(DeviceTaint, 'atomic'), 'Keep claims away that do not tolerate them.'),
});
export interface Device extends Infer<typeof Device> {}

export const ResourcePool = struct('io.k8s.api.resource.v1.ResourcePool', 'Pool that a slice belongs to.', {
  generation: req(2, int64, 'Counts changes of the pool.'),
  name: req(1, string, 'Name of the pool.'),
  resourceSliceCount: req(3, int64, 'Number of slices in the pool.'),
});
export interface ResourcePool extends Infer<typeof ResourcePool> {}

export const ResourceSliceSpec = struct(
  'io.k8s.api.resource.v1.ResourceSliceSpec',
  'Devices, their driver and their pool.',
  {
    allNodes: opt(5, boolean, { pointer: true, doc: 'Whether all nodes can use the devices.' }),
    devices: opt(6, list(Device, 'atomic'), 'Devices of the slice.'),
    driver: req(1, string, 'Name of the driver.'),
    nodeName: opt(3, string, { pointer: true, doc: 'Name of the node that has the devices.' }),
    nodeSelector: opt(4, NodeSelector, 'Nodes that can use the devices.'),
    perDeviceNodeSelection: opt(7, boolean, { pointer: true, doc: 'Whether each device says which nodes can use it.' }),
    pool: req(2, ResourcePool, 'Pool that the slice belongs to.'),
    sharedCounters: opt(8, list(CounterSet, 'atomic'), 'Amounts that devices share.'),
  },
);
export interface ResourceSliceSpec extends Infer<typeof ResourceSliceSpec> {}

export const ResourceSliceSchema = struct(
  'io.k8s.api.resource.v1.ResourceSlice',
  'Devices of a pool that a driver offers.',
  { ...objectFields, spec: req(2, ResourceSliceSpec, 'Devices, their driver and their pool.') },
);
export interface ResourceSlice extends Infer<typeof ResourceSliceSchema> {}

export const ResourceSlice = defineKind<ResourceSlice>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceSlice',
  plural: 'resourceslices',
  namespaced: false,
  schema: ResourceSliceSchema,
  generation: true,
  columns: [
    {
      name: 'Node',
      type: 'string',
      description: 'Node that has the devices.',
      value: ({ spec }) => spec?.nodeName ?? '',
    },
    { name: 'Driver', type: 'string', description: 'Name of the driver.', value: ({ spec }) => spec?.driver },
    {
      name: 'Pool',
      type: 'string',
      description: 'Pool that the slice belongs to.',
      value: ({ spec }) => spec?.pool?.name,
    },
    ageColumn,
  ],
  selectableFields: {
    'spec.driver': ({ spec }) => spec?.driver ?? '',
    'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
  },
  applyDefaults: ({ spec }) => {
    for (const { taints } of spec?.devices ?? []) for (const taint of taints ?? []) taint.timeAdded ??= timestamp();
  },
});
