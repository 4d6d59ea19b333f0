import { proposeDisks } from './devices.ts';
import type { DefaultsLayer } from './layer.ts';

export const s390xDefaults: DefaultsLayer = {
  spec: ({ domain }) => ({
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
