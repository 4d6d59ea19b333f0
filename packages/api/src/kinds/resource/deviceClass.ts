import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { DeviceSelector, OpaqueDeviceConfiguration } from './deviceParts.ts';

export const DeviceClassConfiguration = struct(
  'io.k8s.api.resource.v1.DeviceClassConfiguration',
  'Settings for all devices of the class.',
  { opaque: opt([1, 1], OpaqueDeviceConfiguration, 'Settings for a driver, in its own format.') },
);
export interface DeviceClassConfiguration extends Infer<typeof DeviceClassConfiguration> {}

export const DeviceClassSpec = struct(
  'io.k8s.api.resource.v1.DeviceClassSpec',
  'Devices of the class, and their settings.',
  {
    config: opt(2, list(DeviceClassConfiguration, 'atomic'), 'Settings for all devices of the class.'),
    extendedResourceName: opt(4, string, {
      pointer: true,
      doc: 'Name by which pods can request the devices like other resources.',
    }),
    selectors: opt(1, list(DeviceSelector, 'atomic'), 'Expressions that all must be true for a device.'),
  },
);
export interface DeviceClassSpec extends Infer<typeof DeviceClassSpec> {}

export const DeviceClassSchema = struct(
  'io.k8s.api.resource.v1.DeviceClass',
  'A sort of devices that claims can ask for.',
  {
    ...objectFields,
    spec: req(2, DeviceClassSpec, 'Desired state of the DeviceClass.'),
  },
);
export interface DeviceClass extends Infer<typeof DeviceClassSchema> {}

export const DeviceClass = defineKind<DeviceClass>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'DeviceClass',
  plural: 'deviceclasses',
  namespaced: false,
  schema: DeviceClassSchema,
  generation: true,
  columns: [ageColumn],
});
