import type { ReconnectingLibvirt } from '@vireo/libvirt';
import type { DiskWatch } from '../host/diskSpace.ts';
import type { LibvirtdSupervisor } from '../libvirtd/supervisor.ts';
import type { HealthSource } from './readiness.ts';

/** The node is as well as its connection to libvirt. */
export const healthOf = (
  libvirt: ReconnectingLibvirt,
  supervisor: LibvirtdSupervisor,
  disk: DiskWatch,
): HealthSource => ({
  problem: () => (libvirt.isConnected ? undefined : (supervisor.problem ?? 'libvirtd does not respond')),
  onChange: (callback) => {
    const events = ['connected', 'disconnected'] as const;
    for (const event of events) libvirt.on(event, callback);
    const stop = disk.onPressureChange(callback);
    return () => {
      stop();
      for (const event of events) libvirt.off(event, callback);
    };
  },
  disk: () => disk.state,
});
