import type { Log } from '@vireo/kube';
import { type DomainRef, isLibvirtError, type ReconnectingLibvirt } from '@vireo/libvirt';
import type { DomainInformer } from '../vmi/domainInformer.ts';
import { PausedGuests } from './pausedGuests.ts';

/** What the keeper of volumes asks of the guests that use them, by the uid of their VMI. */
export interface Guests {
  /** Whether libvirt knows the guest. */
  has(uid: string): boolean;
  /** Acts while the guest does not write. */
  whilePaused(uid: string, act: () => Promise<void>): Promise<void>;
  /** Whether a guest is paused for a copy, or about to be. */
  isHeld(ref: DomainRef): boolean;
  /** Resumes a guest that something else has paused. False while it is paused for a copy. */
  resume(ref: DomainRef): Promise<boolean>;
  /** Tells the guest that a disk of it, by path, is larger now. */
  resize(uid: string, disk: string, sizeBytes: number): Promise<void>;
}

/** The guests of this node. Those that were left paused for a copy go on; `vmis`: where VMs keep files. */
export async function guestsOf(
  libvirt: ReconnectingLibvirt,
  domains: DomainInformer,
  { vmis, log }: { readonly vmis: string; readonly log: Log },
): Promise<Guests> {
  const paused = new PausedGuests(libvirt, vmis);
  const releaseLeft = (): Promise<void> =>
    paused
      .releaseLeft((uid) => domains.get(uid)?.ref)
      .catch((error: unknown) => log.error('cannot resume guests that were paused for a clone', undefined, { error }));
  libvirt.on('connected', () => void releaseLeft());
  await releaseLeft();
  return {
    has: (uid) => domains.get(uid) !== undefined,
    whilePaused(uid, act) {
      const domain = domains.get(uid);
      return domain ? paused.whilePaused(domain.ref, act) : act();
    },
    isHeld: (ref) => paused.isHeld(ref),
    resume: (ref) => paused.resume(ref),
    async resize(uid, disk, sizeBytes) {
      const domain = domains.get(uid);
      // One that has come to a larger claim sees all of it after its next start.
      if (!domain || Object.values(domain.view.slicedDisks ?? {}).includes(disk)) return;
      await libvirt.calls.resizeBlock(domain.ref, disk, sizeBytes).catch((error: unknown) => {
        // One that does not run finds the new size when it starts.
        if (!isLibvirtError(error, 'OPERATION_INVALID') && !isLibvirtError(error, 'NO_DOMAIN')) throw error;
      });
    },
  };
}
