import { type Infer, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';

export const Machine = struct('io.kubevirt.v1.Machine', 'The kind of computer that is emulated.', {
  type: optional(
    string,
    'Machine type of QEMU, such as q35, virt or s390-ccw-virtio. Defaults to that of the architecture.',
  ),
});
export interface Machine extends Infer<typeof Machine> {}

export const Chassis = struct('io.kubevirt.v1.Chassis', 'SMBIOS values about the chassis, which the guest reads.', {
  asset: optional(string, 'Asset tag of the chassis.'),
  manufacturer: optional(string, 'Manufacturer of the chassis.'),
  serial: optional(string, 'Serial number of the chassis.'),
  sku: optional(string, 'Stock-keeping unit (SKU) of the chassis.'),
  version: optional(string, 'Version of the chassis.'),
});
export interface Chassis extends Infer<typeof Chassis> {}
