import { boolean, type Infer, list, map, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const MediatedHostDevice = struct(
  'io.kubevirt.v1.MediatedHostDevice',
  'A type of mediated devices that guests may use.',
  {
    externalResourceProvider: optional(boolean, 'Whether an external device plugin provides the resource.'),
    mdevNameSelector: required(string, 'Name of the mediated device type.'),
    resourceName: required(string, 'Resource that the node offers them as.'),
  },
);
export interface MediatedHostDevice extends Infer<typeof MediatedHostDevice> {}

export const PciHostDevice = struct('io.kubevirt.v1.PciHostDevice', 'A type of PCI devices that guests may use.', {
  externalResourceProvider: optional(boolean, 'Whether an external device plugin provides the resource.'),
  pciVendorSelector: required(string, 'Vendor and product ID of the device, such as 10de:1eb8.'),
  resourceName: required(string, 'Resource that the node offers them as.'),
});
export interface PciHostDevice extends Infer<typeof PciHostDevice> {}

export const USBSelector = struct('io.kubevirt.v1.USBSelector', 'Selects USB devices by vendor and product ID.', {
  product: required(string, 'Product ID of the device in hexadecimal.'),
  vendor: required(string, 'Vendor ID of the device in hexadecimal.'),
});
export interface USBSelector extends Infer<typeof USBSelector> {}

export const USBHostDevice = struct(
  'io.kubevirt.v1.USBHostDevice',
  'A group of USB devices that guests get together.',
  {
    externalResourceProvider: optional(boolean, 'Whether an external device plugin provides the resource.'),
    resourceName: required(string, 'Resource that the node offers them as.'),
    selectors: optional(list(USBSelector, 'atomic'), 'Vendor and product IDs of the devices in the group.'),
  },
);
export interface USBHostDevice extends Infer<typeof USBHostDevice> {}

export const PermittedHostDevices = struct(
  'io.kubevirt.v1.PermittedHostDevices',
  'Devices of nodes that guests may use.',
  {
    mediatedDevices: optional(list(MediatedHostDevice, 'atomic'), 'Mediated devices, such as virtual GPUs.'),
    pciHostDevices: optional(list(PciHostDevice, 'atomic'), 'PCI devices, selected by vendor and product ID.'),
    usb: optional(list(USBHostDevice, 'atomic'), 'USB devices, selected by vendor and product ID.'),
  },
);
export interface PermittedHostDevices extends Infer<typeof PermittedHostDevices> {}

export const NodeMediatedDeviceTypesConfig = struct(
  'io.kubevirt.v1.NodeMediatedDeviceTypesConfig',
  'Types of mediated devices to create on selected nodes.',
  {
    mediatedDeviceTypes: optional(list(string, 'atomic'), 'Names of the mediated device types to create.'),
    mediatedDevicesTypes: optional(list(string, 'atomic'), 'Deprecated. Use mediatedDeviceTypes.'),
    nodeSelector: required(map(string), 'Labels of the nodes that the types apply to.'),
  },
);
export interface NodeMediatedDeviceTypesConfig extends Infer<typeof NodeMediatedDeviceTypesConfig> {}

export const MediatedDevicesConfiguration = struct(
  'io.kubevirt.v1.MediatedDevicesConfiguration',
  'Types of mediated devices that nodes create.',
  {
    enabled: optional(boolean, 'Whether nodes create mediated devices. Defaults to true.'),
    mediatedDeviceTypes: optional(list(string, 'atomic'), 'Names of the mediated device types to create on all nodes.'),
    mediatedDevicesTypes: optional(list(string, 'atomic'), 'Deprecated. Use mediatedDeviceTypes.'),
    nodeMediatedDeviceTypes: optional(
      list(NodeMediatedDeviceTypesConfig, 'atomic'),
      'Types of mediated devices to create on selected nodes, instead of those for all nodes.',
    ),
  },
);
export interface MediatedDevicesConfiguration extends Infer<typeof MediatedDevicesConfiguration> {}
