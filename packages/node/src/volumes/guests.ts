import { isLibvirtError, type ReconnectingLibvirt } from '@vireo/libvirt';
import type { Domains } from '../machine/domains.ts';

/** What the keeper of volumes asks of the guests that use them, by the uid of their instance. */
export interface Guests {
  /** Whether libvirt knows the guest. */
  has(uid: string): boolean;
  /** Acts while the guest does not write. */
  still(uid: string, act: () => Promise<void>): Promise<void>;
  /** Tells the guest that a disk of it, by path, is larger now. */
  resize(uid: string, disk: string, sizeBytes: number): Promise<void>;
}

export const guestsOf = (libvirt: Pick<ReconnectingLibvirt, 'calls'>, domains: Domains): Guests => ({
  has: (uid) => domains.get(uid) !== undefined,
  async still(uid, act) {
    const domain = domains.get(uid);
    if (domain?.state.state !== 'running') return act();
    // Paused, QEMU has written and flushed all that the guest was told is written.
    await libvirt.calls.suspendDomain(domain.ref);
    try {
      await act();
    } finally {
      await libvirt.calls.resumeDomain(domain.ref).catch((error: unknown) => {
        // It ended or was resumed meanwhile.
        if (!isLibvirtError(error, 'OPERATION_INVALID') && !isLibvirtError(error, 'NO_DOMAIN')) throw error;
      });
    }
  },
  async resize(uid, disk, sizeBytes) {
    const domain = domains.get(uid);
    if (!domain) return;
    await libvirt.calls.resizeBlock(domain.ref, disk, sizeBytes).catch((error: unknown) => {
      // One that does not run finds the new size when it starts.
      if (!isLibvirtError(error, 'OPERATION_INVALID') && !isLibvirtError(error, 'NO_DOMAIN')) throw error;
    });
  },
});
