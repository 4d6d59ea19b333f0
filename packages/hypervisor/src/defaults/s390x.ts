import { proposeDisks } from './devices.ts';
import type { DefaultsProvider } from './layer.ts';

export const s390xDefaults: DefaultsProvider = {
  applyVmiSpecDefaults: ({ domain }) => ({
    domain: {
      features: { acpi: { enabled: false } },
      devices: {
        disks: proposeDisks(domain.devices, 'virtio'),
        watchdog: domain.devices?.watchdog && {
          diag288: domain.devices.watchdog.i6300esb ? undefined : { action: 'reset' },
        },
      },
    },
  }),
};
