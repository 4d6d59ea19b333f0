import { proposeDisks } from './devices.ts';
import type { DefaultsProvider } from './layer.ts';

export const amd64Defaults: DefaultsProvider = {
  applyVmiSpecDefaults: ({ domain }) => ({
    domain: {
      devices: {
        disks: proposeDisks(domain.devices, 'sata'),
        watchdog: domain.devices?.watchdog && {
          i6300esb: domain.devices.watchdog.diag288 ? undefined : { action: 'reset' },
        },
      },
    },
  }),
};
