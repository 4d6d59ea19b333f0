import { boolean, type Infer, oneOf, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const ACPI = struct('io.kubevirt.v1.ACPI', 'ACPI tables from which Windows reads its licence.', {
  msdmNameRef: optional(string, 'Volume of a secret with the MSDM table.'),
  slicNameRef: optional(string, 'Volume of a secret with the SLIC table.'),
});
export interface ACPI extends Infer<typeof ACPI> {}

export const BIOS = struct('io.kubevirt.v1.BIOS', 'Boots the guest with BIOS.', {
  useSerial: optional(boolean, 'Whether the BIOS writes its messages to the serial console.'),
});
export interface BIOS extends Infer<typeof BIOS> {}

export const EFI = struct('io.kubevirt.v1.EFI', 'Boots the guest with UEFI.', {
  persistent: optional(boolean, 'Whether the UEFI variables persist across stops. They are then kept on a volume.'),
  secureBoot: optional(boolean, 'Whether only signed boot loaders start. Defaults to true and needs the feature smm.'),
});
export interface EFI extends Infer<typeof EFI> {}

export const Bootloader = struct('io.kubevirt.v1.Bootloader', 'Firmware that boots the guest. Set bios or efi.', {
  bios: optional(BIOS, 'Boot the guest with BIOS. This is the default.'),
  efi: optional(EFI, 'Boot the guest with UEFI.'),
});
export interface Bootloader extends Infer<typeof Bootloader> {}

export const KernelBootContainer = struct(
  'io.kubevirt.v1.KernelBootContainer',
  'Container image with a kernel and, optionally, an initrd.',
  {
    image: required(string, 'Reference of the container image.'),
    imagePullPolicy: optional(
      oneOf('Always', 'IfNotPresent', 'Never'),
      'Always, Never or IfNotPresent. Always when the tag is latest.',
    ),
    imagePullSecret: optional(string, 'Secret in the same namespace with the credentials to pull the image.'),
    initrdPath: optional(string, 'Path of the initial RAM disk in the image.'),
    kernelPath: optional(string, 'Path of the kernel in the image.'),
  },
);
export interface KernelBootContainer extends Infer<typeof KernelBootContainer> {}

export const KernelBoot = struct(
  'io.kubevirt.v1.KernelBoot',
  'Boots a kernel directly, without firmware and boot loader.',
  {
    container: optional(KernelBootContainer, 'Container image with the kernel and the initrd.'),
    kernelArgs: optional(string, 'Command line of the kernel.'),
  },
);
export interface KernelBoot extends Infer<typeof KernelBoot> {}

export const Firmware = struct('io.kubevirt.v1.Firmware', 'Firmware of the guest and the identity it reports.', {
  acpi: optional(ACPI, 'ACPI tables from which Windows reads its licence.'),
  bootloader: optional(Bootloader, 'Whether the guest boots with BIOS or UEFI. Defaults to BIOS.'),
  kernelBoot: optional(KernelBoot, 'Boot a kernel directly instead of from a disk.'),
  serial: optional(string, 'Serial number of the system in SMBIOS.'),
  uuid: optional(string, 'UUID of the system in SMBIOS. If empty, the system generates one.'),
});
export interface Firmware extends Infer<typeof Firmware> {}
