import { type InformerHandlers, ownerKey } from '@vireo/kube';
import type { Vmi } from '../kinds.ts';
import { parse, ReplicaSet } from './set.ts';
import { type Members, Tally } from './tally.ts';

/**
 * Which instances each set controls, kept up with every change: a set of thousands is looked at several times a second
 * while it is filled, and counting all of them each time would be most of the work.
 */
export class Roster {
  /** By the uid of the set. */
  readonly #tallies = new Map<string, Tally>();
  /** The uid of the set by that of the instance: the last version of a deleted one may name another. */
  readonly #controllers = new Map<string, string>();

  readonly handlers: Required<InformerHandlers<Vmi>> = {
    added: (vmi) => this.#put(vmi),
    updated: (_, vmi) => this.#put(vmi),
    deleted: ({ metadata }) => this.#remove(metadata.uid ?? ''),
  };

  /** How many sets have instances. */
  get size(): number {
    return this.#tallies.size;
  }

  /** The instances that the set controls, as they are now; what changes later does not change the answer. */
  of(set: ReplicaSet): Members {
    const parsed = parse(set);
    const tally = this.#tallies.get(set.metadata.uid ?? '');
    return tally && 'selector' in parsed ? tally.look(parsed.selector) : NOBODY;
  }

  #put(vmi: Vmi): void {
    const { uid = '' } = vmi.metadata;
    const controller = controllingSet(vmi);
    if (this.#controllers.get(uid) !== controller) this.#remove(uid);
    if (controller === undefined) return;
    this.#controllers.set(uid, controller);
    const tally = this.#tallies.get(controller) ?? new Tally();
    this.#tallies.set(controller, tally);
    tally.put(vmi);
  }

  #remove(uid: string): void {
    const controller = this.#controllers.get(uid);
    if (controller === undefined) return;
    this.#controllers.delete(uid);
    const tally = this.#tallies.get(controller);
    tally?.remove(uid);
    if (tally?.size === 0) this.#tallies.delete(controller);
  }
}

export const NOBODY: Members = { active: [], readyCount: 0, spent: [], toRelease: [] };

/** Machines have their instances one by one: there would be a tally for each. */
const controllingSet = (vmi: Vmi): string | undefined =>
  ownerKey(vmi, ReplicaSet) === undefined
    ? undefined
    : vmi.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
