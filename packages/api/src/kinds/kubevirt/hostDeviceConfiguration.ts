import { boolean, type Infer, list, map, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const MediatedHostDevice = struct(
  'io.kubevirt.v1.MediatedHostDevice',
  'Virtual devices that machines may use.',
  {
    externalResourceProvider: optional(boolean, 'Whether another device plug-in offers them.'),
    mdevNameSelector: required(string, 'Type of the devices.'),
    resourceName: required(string, 'Resource that the node offers them as.'),
  },
);
export interface MediatedHostDevice extends Infer<typeof MediatedHostDevice> {}

export const PciHostDevice = struct('io.kubevirt.v1.PciHostDevice', 'PCI devices that machines may use.', {
  externalResourceProvider: optional(boolean, 'Whether another device plug-in offers them.'),
  pciVendorSelector: required(string, 'Vendor and product, such as 10de:1eb8.'),
  resourceName: required(string, 'Resource that the node offers them as.'),
});
export interface PciHostDevice extends Infer<typeof PciHostDevice> {}

export const USBSelector = struct('io.kubevirt.v1.USBSelector', 'A USB device by its maker.', {
  product: required(string, 'Product, in hexadecimal.'),
  vendor: required(string, 'Vendor, in hexadecimal.'),
});
export interface USBSelector extends Infer<typeof USBSelector> {}

export const USBHostDevice = struct('io.kubevirt.v1.USBHostDevice', 'USB devices that machines may use together.', {
  externalResourceProvider: optional(boolean, 'Whether another device plug-in offers them.'),
  resourceName: required(string, 'Resource that the node offers them as.'),
  selectors: optional(list(USBSelector, 'atomic'), 'The devices.'),
});
export interface USBHostDevice extends Infer<typeof USBHostDevice> {}

export const PermittedHostDevices = struct(
  'io.kubevirt.v1.PermittedHostDevices',
  'Devices of nodes that machines may use.',
  {
    mediatedDevices: optional(list(MediatedHostDevice, 'atomic'), 'Virtual devices.'),
    pciHostDevices: optional(list(PciHostDevice, 'atomic'), 'PCI devices.'),
    usb: optional(list(USBHostDevice, 'atomic'), 'USB devices.'),
  },
);
export interface PermittedHostDevices extends Infer<typeof PermittedHostDevices> {}

export const NodeMediatedDeviceTypesConfig = struct(
  'io.kubevirt.v1.NodeMediatedDeviceTypesConfig',
  'Virtual devices that some nodes make.',
  {
    mediatedDeviceTypes: optional(list(string, 'atomic'), 'Types to make.'),
    mediatedDevicesTypes: optional(list(string, 'atomic'), 'Old name of mediatedDeviceTypes.'),
    nodeSelector: required(map(string), 'Labels of the nodes.'),
  },
);
export interface NodeMediatedDeviceTypesConfig extends Infer<typeof NodeMediatedDeviceTypesConfig> {}

export const MediatedDevicesConfiguration = struct(
  'io.kubevirt.v1.MediatedDevicesConfiguration',
  'Virtual devices that nodes make.',
  {
    enabled: optional(boolean, 'Whether nodes make any; true when missing.'),
    mediatedDeviceTypes: optional(list(string, 'atomic'), 'Types to make.'),
    mediatedDevicesTypes: optional(list(string, 'atomic'), 'Old name of mediatedDeviceTypes.'),
    nodeMediatedDeviceTypes: optional(list(NodeMediatedDeviceTypesConfig, 'atomic'), 'Types to make on some nodes.'),
  },
);
export interface MediatedDevicesConfiguration extends Infer<typeof MediatedDevicesConfiguration> {}
