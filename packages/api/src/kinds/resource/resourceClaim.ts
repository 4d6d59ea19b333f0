import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, map, opt, quantity, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { NodeSelector } from '../core/nodeSelector.ts';
import { Condition } from '../meta/condition.ts';
import { RawExtension } from '../meta/rawExtension.ts';
import { applyClaimDefaults, ResourceClaimSpec } from './deviceClaim.ts';
import { DeviceToleration, OpaqueDeviceConfiguration } from './deviceParts.ts';

export const DeviceRequestAllocationResult = struct(
  'io.k8s.api.resource.v1.DeviceRequestAllocationResult',
  'A device that was allocated for a request.',
  {
    adminAccess: opt(5, boolean, { pointer: true, doc: 'Whether it was allocated for administration.' }),
    bindingConditions: opt(7, list(string, 'atomic'), 'Conditions that must be true before the pod is bound.'),
    bindingFailureConditions: opt(8, list(string, 'atomic'), 'Conditions that mean that the pod cannot be bound.'),
    consumedCapacity: opt(10, map(quantity), 'How much of its capacities it takes.'),
    device: req(4, string, 'Name of the device.'),
    driver: req(2, string, 'Name of the driver.'),
    pool: req(3, string, 'Name of the pool.'),
    request: req(1, string, 'Name of the request.'),
    shareID: opt(9, string, { pointer: true, doc: 'Tells shares of one device apart.' }),
    tolerations: opt(6, list(DeviceToleration, 'atomic'), 'Taints that the request tolerated.'),
  },
);
export interface DeviceRequestAllocationResult extends Infer<typeof DeviceRequestAllocationResult> {}

export const DeviceAllocationConfiguration = struct(
  'io.k8s.api.resource.v1.DeviceAllocationConfiguration',
  'Settings for allocated devices.',
  {
    opaque: opt([3, 1], OpaqueDeviceConfiguration, 'Settings for a driver, in its own format.'),
    requests: opt(2, list(string, 'atomic'), 'Names of the requests. All if empty.'),
    source: req(1, string, 'Where the settings come from: FromClass or FromClaim.'),
  },
);
export interface DeviceAllocationConfiguration extends Infer<typeof DeviceAllocationConfiguration> {}

export const DeviceAllocationResult = struct(
  'io.k8s.api.resource.v1.DeviceAllocationResult',
  'Devices that were allocated.',
  {
    config: opt(2, list(DeviceAllocationConfiguration, 'atomic'), 'Settings for the drivers.'),
    results: opt(1, list(DeviceRequestAllocationResult, 'atomic'), 'Devices that were allocated.'),
  },
);
export interface DeviceAllocationResult extends Infer<typeof DeviceAllocationResult> {}

export const AllocationResult = struct('io.k8s.api.resource.v1.AllocationResult', 'What was allocated for a claim.', {
  allocationTimestamp: opt(5, time, 'Time at which it was allocated.'),
  devices: opt(1, DeviceAllocationResult, 'Devices that were allocated.'),
  nodeSelector: opt(3, NodeSelector, 'Nodes where it is available. All if missing.'),
});
export interface AllocationResult extends Infer<typeof AllocationResult> {}

export const ResourceClaimConsumerReference = struct(
  'io.k8s.api.resource.v1.ResourceClaimConsumerReference',
  'Refers to a user of a claim.',
  {
    apiGroup: opt(1, string, 'API group of the user. Empty for the core group.'),
    name: req(4, string, 'Name of the user.'),
    resource: req(3, string, 'Resource of the user, such as pods.'),
    uid: req(5, string, 'UID of the user.'),
  },
);
export interface ResourceClaimConsumerReference extends Infer<typeof ResourceClaimConsumerReference> {}

export const NetworkDeviceData = struct(
  'io.k8s.api.resource.v1.NetworkDeviceData',
  'What is known of a network device.',
  {
    hardwareAddress: opt(3, string, 'Hardware address of the interface.'),
    interfaceName: opt(1, string, 'Name of the interface.'),
    ips: opt(2, list(string, 'atomic'), 'Addresses of the interface, such as 192.0.2.5/24.'),
  },
);
export interface NetworkDeviceData extends Infer<typeof NetworkDeviceData> {}

export const AllocatedDeviceStatus = struct(
  'io.k8s.api.resource.v1.AllocatedDeviceStatus',
  'What a driver says of an allocated device.',
  {
    conditions: opt(4, list(Condition, ['type']), 'Conditions of the device.'),
    data: opt(5, RawExtension, 'Data in the format of the driver.'),
    device: req(3, string, 'Name of the device.'),
    driver: req(1, string, 'Name of the driver.'),
    networkData: opt(6, NetworkDeviceData, 'What is known of it as a network device.'),
    pool: req(2, string, 'Name of the pool.'),
    shareID: opt(7, string, { pointer: true, doc: 'Tells shares of one device apart.' }),
  },
);
export interface AllocatedDeviceStatus extends Infer<typeof AllocatedDeviceStatus> {}

export const ResourceClaimStatus = struct('io.k8s.api.resource.v1.ResourceClaimStatus', 'Observed state of a claim.', {
  allocation: opt(1, AllocationResult, 'What was allocated for the claim.'),
  devices: opt(4, list(AllocatedDeviceStatus, ['driver', 'device', 'pool', 'shareID']), 'State of each device.'),
  reservedFor: opt(2, list(ResourceClaimConsumerReference, ['uid']), {
    patch: 'merge',
    key: 'uid',
    doc: 'Who may use the claim.',
  }),
});
export interface ResourceClaimStatus extends Infer<typeof ResourceClaimStatus> {}

export const ResourceClaimSchema = struct(
  'io.k8s.api.resource.v1.ResourceClaim',
  'A claim for devices that pods use.',
  {
    ...objectFields,
    spec: req(2, ResourceClaimSpec, 'What the claim asks for.'),
    status: opt(3, ResourceClaimStatus, 'Observed state of the ResourceClaim. The system writes it.'),
  },
);
export interface ResourceClaim extends Infer<typeof ResourceClaimSchema> {}

function claimState({ metadata, status }: ResourceClaim): string {
  const states = metadata.deletionTimestamp ? ['deleted'] : [];
  if (status?.allocation) states.push('allocated', ...(status.reservedFor?.length ? ['reserved'] : []));
  else if (!metadata.deletionTimestamp) states.push('pending');
  return states.join(',');
}

export const ResourceClaim = defineKind<ResourceClaim>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  namespaced: true,
  schema: ResourceClaimSchema,
  generation: false,
  columns: [{ name: 'State', type: 'string', description: 'State of the claim.', value: claimState }, ageColumn],
  applyDefaults: ({ spec }) => applyClaimDefaults(spec),
});
