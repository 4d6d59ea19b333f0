import { type Infer, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';

export const Machine = struct('io.kubevirt.v1.Machine', 'The kind of computer that is emulated.', {
  type: optional(
    string,
    "Machine type of QEMU, such as q35, virt or s390-ccw-virtio. The architecture's default when empty.",
  ),
});
export interface Machine extends Infer<typeof Machine> {}

export const Chassis = struct('io.kubevirt.v1.Chassis', 'What the guest reads about its case in SMBIOS.', {
  asset: optional(string, 'Asset tag.'),
  manufacturer: optional(string, 'Manufacturer.'),
  serial: optional(string, 'Serial number.'),
  sku: optional(string, 'Stock number.'),
  version: optional(string, 'Version.'),
});
export interface Chassis extends Infer<typeof Chassis> {}
