import { proposeDisks } from './devices.ts';
import type { DefaultsProvider } from './layer.ts';

/** ARM VMIs start by UEFI, and without secure boot. */
export const arm64Defaults: DefaultsProvider = {
  applyVmiSpecDefaults: ({ domain }) => ({
    domain: {
      cpu: { model: 'host-passthrough' },
      firmware: domain.firmware?.bootloader?.bios ? undefined : { bootloader: { efi: { secureBoot: false } } },
      devices: { disks: proposeDisks(domain.devices, 'virtio') },
    },
  }),
};
