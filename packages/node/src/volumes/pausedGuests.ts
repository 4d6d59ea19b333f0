import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DomainRef, isLibvirtError, type ReconnectingLibvirt } from '@vireo/libvirt';
import { exists } from '../exists.ts';
import { isStoppedToMove } from '../migration/arrival.ts';
import { NotReady } from './provision/notReady.ts';

/** In a VM's directory: its guest is paused by us, and nobody but us will let it go on. */
const PAUSED_MARKER_FILE = 'held-still';

/** Guests that are paused for a moment, so that what they have written can be copied. */
export class PausedGuests {
  readonly #libvirt: Pick<ReconnectingLibvirt, 'calls'>;
  /** One directory a VM, named after the uid of its VMI. */
  readonly #vmis: string;
  /** The last hold of each guest, by uid: the next begins after it. */
  readonly #holds = new Map<string, Promise<void>>();

  constructor(libvirt: Pick<ReconnectingLibvirt, 'calls'>, vmis: string) {
    this.#libvirt = libvirt;
    this.#vmis = vmis;
  }

  /** Whether a guest is held: it must not leave meanwhile, for it would stand still where it comes to. */
  isHeld({ uuid }: Pick<DomainRef, 'uuid'>): boolean {
    return this.#holds.has(uuid);
  }

  /** Acts while the guest does not write. One that does not run anyway is left as it is. */
  whilePaused(ref: DomainRef, act: () => Promise<void>): Promise<void> {
    return this.#hold(ref, () => this.#pauseFor(ref, act));
  }

  /** Resumes a guest that something else has paused. False while it is held: what is copied must not change. */
  async resume(ref: DomainRef): Promise<boolean> {
    if (this.#holds.has(ref.uuid)) return false;
    await this.#hold(ref, () => this.#libvirt.calls.resumeDomain(ref));
    return true;
  }

  async #hold(ref: DomainRef, act: () => Promise<void>): Promise<void> {
    const before = this.#holds.get(ref.uuid) ?? Promise.resolve();
    const hold = before.catch(() => {}).then(act);
    this.#holds.set(ref.uuid, hold);
    try {
      await hold;
    } finally {
      if (this.#holds.get(ref.uuid) === hold) this.#holds.delete(ref.uuid);
    }
  }

  async #pauseFor(ref: DomainRef, act: () => Promise<void>): Promise<void> {
    const { calls } = this.#libvirt;
    if ((await calls.domainState(ref)).state !== 'running') return act();
    // libvirt would let it be paused, and not resumed.
    if ((await calls.jobStats(ref)).type !== 'none')
      throw new NotReady('the guest is being migrated or dumped, and is not paused meanwhile');
    // Marked first: whoever takes over in between would leave it paused for ever.
    await writeFile(this.#markOf(ref.uuid), ref.name, { mode: 0o600, flush: true });
    try {
      // Paused, QEMU has written and flushed all that the guest was told is written.
      await calls.suspendDomain(ref);
      await act();
    } finally {
      await this.#release(ref);
    }
  }

  /** Lets go on what an earlier run of ours, or one that lost libvirt, has left paused. */
  async releaseLeft(refOf: (uid: string) => DomainRef | undefined): Promise<void> {
    for (const uid of await readdir(this.#vmis).catch(() => [])) {
      if (this.#holds.has(uid) || !(await exists(this.#markOf(uid)))) continue;
      const ref = refOf(uid);
      if (ref) await this.#release(ref);
    }
  }

  /** The mark stays until the guest is sure to go on. */
  async #release(ref: DomainRef): Promise<void> {
    const { calls } = this.#libvirt;
    try {
      // One that was stopped to move may run elsewhere by now.
      if (!isStoppedToMove(await calls.domainState(ref))) await calls.resumeDomain(ref);
    } catch (error) {
      // It ended or was resumed meanwhile.
      if (!isLibvirtError(error, 'OPERATION_INVALID') && !isLibvirtError(error, 'NO_DOMAIN')) throw error;
    }
    await rm(this.#markOf(ref.uuid), { force: true });
  }

  #markOf(uid: string): string {
    return join(this.#vmis, uid, PAUSED_MARKER_FILE);
  }
}
