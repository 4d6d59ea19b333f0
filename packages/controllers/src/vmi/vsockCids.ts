import { randomInt } from 'node:crypto';
import { isHandedOver, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Informer } from '@vireo/kube';

/** The smallest context ID (CID) of a guest: 0 to 2 are the hypervisor, the loopback and the host. */
const FIRST = 3;
/** The largest one; the number after it means any. */
const LAST = 0xffff_fffe;

/**
 * Gives guests with VSOCK their CIDs: each is one guest's in the whole cluster, so that it stays when the guest moves to
 * another node. They are random, because other programs of a host, and other clusters there, may have CIDs too.
 */
export class VsockCids {
  readonly #vmis: Pick<Informer<Vmi>, 'list'>;
  readonly #random: typeof randomInt;
  /** By the uid of the VMI: the cache does not show them at once. */
  readonly #given = new Map<string, number>();

  constructor(vmis: Pick<Informer<Vmi>, 'list' | 'on'>, random: (min: number, max: number) => number = randomInt) {
    this.#vmis = vmis;
    this.#random = random as typeof randomInt;
    vmis.on({ deleted: ({ metadata }) => void this.#given.delete(metadata.uid) });
  }

  /** The CID that a VMI is to have; undefined where it has one, or none, or its guest was made without. */
  missing(vmi: Vmi): number | undefined {
    const { metadata, spec, status } = vmi;
    if (!spec.domain.devices.autoattachVSOCK || status?.VSOCKCID !== undefined || isHandedOver(vmi)) return undefined;
    const cid = this.#given.get(metadata.uid) ?? this.#free();
    this.#given.set(metadata.uid, cid);
    return cid;
  }

  #free(): number {
    const taken = new Set([...this.#vmis.list().map(({ status }) => status?.VSOCKCID), ...this.#given.values()]);
    for (;;) {
      const cid = this.#random(FIRST, LAST + 1);
      if (!taken.has(cid)) return cid;
    }
  }
}
