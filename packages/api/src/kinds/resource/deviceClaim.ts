import { boolean, type Infer, int64, list, opt, req, string, struct } from '../../schema.ts';
import { CapacityRequirements, DeviceSelector, DeviceToleration, OpaqueDeviceConfiguration } from './deviceParts.ts';

/** What requests of every sort have in common. */
const common = {
  allocationMode: 'How many devices are wanted: ExactCount or All. Defaults to ExactCount.',
  capacity: 'What each device must have to offer.',
  count: 'Number of devices, for ExactCount. Defaults to 1.',
  deviceClassName: 'Name of the DeviceClass.',
  selectors: 'Expressions that all must be true for a device.',
  tolerations: 'Taints of devices that are tolerated.',
};

export const ExactDeviceRequest = struct(
  'io.k8s.api.resource.v1.ExactDeviceRequest',
  'A request for devices of one sort.',
  {
    adminAccess: opt(5, boolean, {
      pointer: true,
      doc: 'Whether devices are wanted for administration, even if in use.',
    }),
    allocationMode: opt(3, string, common.allocationMode),
    capacity: opt(7, CapacityRequirements, common.capacity),
    count: opt(4, int64, common.count),
    deviceClassName: req(1, string, common.deviceClassName),
    selectors: opt(2, list(DeviceSelector, 'atomic'), common.selectors),
    tolerations: opt(6, list(DeviceToleration, 'atomic'), common.tolerations),
  },
);
export interface ExactDeviceRequest extends Infer<typeof ExactDeviceRequest> {}

export const DeviceSubRequest = struct(
  'io.k8s.api.resource.v1.DeviceSubRequest',
  'One of several ways to satisfy a request.',
  {
    allocationMode: opt(4, string, common.allocationMode),
    capacity: opt(7, CapacityRequirements, common.capacity),
    count: opt(5, int64, common.count),
    deviceClassName: req(2, string, common.deviceClassName),
    name: req(1, string, 'Name of the request within its parent.'),
    selectors: opt(3, list(DeviceSelector, 'atomic'), common.selectors),
    tolerations: opt(6, list(DeviceToleration, 'atomic'), common.tolerations),
  },
);
export interface DeviceSubRequest extends Infer<typeof DeviceSubRequest> {}

export const DeviceRequest = struct('io.k8s.api.resource.v1.DeviceRequest', 'A request for devices.', {
  exactly: opt(2, ExactDeviceRequest, 'Devices that are wanted. Excludes firstAvailable.'),
  firstAvailable: opt(3, list(DeviceSubRequest, 'atomic'), 'Devices that are wanted, best first. Excludes exactly.'),
  name: req(1, string, 'Name of the request, for pods to refer to.'),
});
export interface DeviceRequest extends Infer<typeof DeviceRequest> {}

export const DeviceConstraint = struct(
  'io.k8s.api.resource.v1.DeviceConstraint',
  'What the devices of several requests must have in common, or not.',
  {
    distinctAttribute: opt(3, string, { pointer: true, doc: 'Attribute that must differ between the devices.' }),
    matchAttribute: opt(2, string, { pointer: true, doc: 'Attribute that must be the same for all devices.' }),
    requests: opt(1, list(string, 'atomic'), 'Names of the requests. All if empty.'),
  },
);
export interface DeviceConstraint extends Infer<typeof DeviceConstraint> {}

export const DeviceClaimConfiguration = struct(
  'io.k8s.api.resource.v1.DeviceClaimConfiguration',
  'Settings for the devices of requests.',
  {
    opaque: opt([2, 1], OpaqueDeviceConfiguration, 'Settings for a driver, in its own format.'),
    requests: opt(1, list(string, 'atomic'), 'Names of the requests. All if empty.'),
  },
);
export interface DeviceClaimConfiguration extends Infer<typeof DeviceClaimConfiguration> {}

export const DeviceClaim = struct('io.k8s.api.resource.v1.DeviceClaim', 'Devices that a claim asks for.', {
  config: opt(3, list(DeviceClaimConfiguration, 'atomic'), 'Settings for the drivers of the devices.'),
  constraints: opt(2, list(DeviceConstraint, 'atomic'), 'What the devices must have in common, or not.'),
  requests: opt(1, list(DeviceRequest, 'atomic'), 'Requests for devices. All must be satisfied.'),
});
export interface DeviceClaim extends Infer<typeof DeviceClaim> {}

export const ResourceClaimSpec = struct('io.k8s.api.resource.v1.ResourceClaimSpec', 'What a claim asks for.', {
  devices: opt(1, DeviceClaim, 'Devices that the claim asks for.'),
});
export interface ResourceClaimSpec extends Infer<typeof ResourceClaimSpec> {}

/** One device, unless a request says otherwise. */
export function applyClaimDefaults(spec: ResourceClaimSpec | undefined): void {
  for (const { exactly, firstAvailable } of spec?.devices?.requests ?? [])
    for (const request of [...(exactly ? [exactly] : []), ...(firstAvailable ?? [])]) {
      request.allocationMode ||= 'ExactCount';
      if (request.allocationMode === 'ExactCount') request.count ||= 1;
    }
}
