import { boolean, type Infer, oneOf, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const ACPI = struct('io.kubevirt.v1.ACPI', 'Tables that Windows reads its licence from.', {
  msdmNameRef: optional(string, 'Volume of a secret with the MSDM table.'),
  slicNameRef: optional(string, 'Volume of a secret with the SLIC table.'),
});
export interface ACPI extends Infer<typeof ACPI> {}

export const BIOS = struct('io.kubevirt.v1.BIOS', 'Boots with a BIOS.', {
  useSerial: optional(boolean, 'Whether its messages go to the serial console.'),
});
export interface BIOS extends Infer<typeof BIOS> {}

export const EFI = struct('io.kubevirt.v1.EFI', 'Boots with UEFI.', {
  persistent: optional(boolean, 'Whether its variables survive a stop; they are kept on a volume then.'),
  secureBoot: optional(boolean, 'Whether only signed loaders start. True when missing; needs the feature smm.'),
});
export interface EFI extends Infer<typeof EFI> {}

export const Bootloader = struct('io.kubevirt.v1.Bootloader', 'Which firmware starts the guest. One of the two.', {
  bios: optional(BIOS, 'A BIOS; what there is when nothing is said.'),
  efi: optional(EFI, 'UEFI.'),
});
export interface Bootloader extends Infer<typeof Bootloader> {}

export const KernelBootContainer = struct('io.kubevirt.v1.KernelBootContainer', 'An image that holds a kernel.', {
  image: required(string, 'The image.'),
  imagePullPolicy: optional(
    oneOf('Always', 'IfNotPresent', 'Never'),
    'Always, Never or IfNotPresent. Always when the tag is latest.',
  ),
  imagePullSecret: optional(string, 'Secret to pull the image with.'),
  initrdPath: optional(string, 'Path of the initial RAM disk in the image.'),
  kernelPath: optional(string, 'Path of the kernel in the image.'),
});
export interface KernelBootContainer extends Infer<typeof KernelBootContainer> {}

export const KernelBoot = struct('io.kubevirt.v1.KernelBoot', 'Starts a kernel directly, without firmware.', {
  container: optional(KernelBootContainer, 'Where the kernel comes from.'),
  kernelArgs: optional(string, "The kernel's command line."),
});
export interface KernelBoot extends Infer<typeof KernelBoot> {}

export const Firmware = struct(
  'io.kubevirt.v1.Firmware',
  'What runs before the operating system, and what it tells about the machine.',
  {
    acpi: optional(ACPI, 'Tables that Windows reads its licence from.'),
    bootloader: optional(Bootloader, 'BIOS or UEFI.'),
    kernelBoot: optional(KernelBoot, 'A kernel to start directly.'),
    serial: optional(string, 'Serial number of the machine in SMBIOS.'),
    uuid: optional(string, 'UUID of the machine in SMBIOS. A random one when empty.'),
  },
);
export interface Firmware extends Infer<typeof Firmware> {}
