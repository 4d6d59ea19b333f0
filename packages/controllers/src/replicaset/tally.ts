import type { Selector } from '@vireo/api/labelSelector.ts';
import type { Vmi } from '../kinds.ts';
import { type Place, placeOf } from './membership.ts';
import type { Census } from './standing.ts';

/** What a set finds when it looks at the instances that it controls. */
export interface Members extends Census {
  /** Those that it no longer selects. */
  readonly toRelease: readonly Vmi[];
}

/** The instances that one set controls, by what they are to it. A change of one costs the same however many there are. */
export class Tally {
  /** As of the last look; before the first, all are taken as selected. */
  #selector: Selector | undefined;
  /** By the instances' uids. */
  readonly #places = new Map<string, Place>();
  readonly #filed: Readonly<Record<Place, Map<string, Vmi>>> = {
    starting: new Map(),
    ready: new Map(),
    finished: new Map(),
    losing: new Map(),
    going: new Map(),
    stranger: new Map(),
  };

  get size(): number {
    return this.#places.size;
  }

  /** An instance has come, or is another than it was. */
  put(vmi: Vmi): void {
    const { uid = '', labels } = vmi.metadata;
    const [before, place] = [this.#places.get(uid), placeOf(vmi, this.#selector?.matches(labels) ?? true)];
    if (before !== undefined && before !== place) this.#filed[before].delete(uid);
    this.#places.set(uid, place);
    this.#filed[place].set(uid, vmi);
  }

  remove(uid: string): void {
    const place = this.#places.get(uid);
    if (place === undefined) return;
    this.#places.delete(uid);
    this.#filed[place].delete(uid);
  }

  /** All of them as they are now, for a set with this selector. */
  look(selector: Selector): Members {
    if (this.#selector?.toString() !== selector.toString()) this.#sortAnew(selector);
    const { starting, ready, finished, losing, stranger } = this.#filed;
    return {
      active: [...starting.values(), ...ready.values()],
      readyCount: ready.size,
      spent: [...finished.values(), ...losing.values()],
      toRelease: [...stranger.values()],
    };
  }

  #sortAnew(selector: Selector): void {
    this.#selector = selector;
    for (const vmi of Object.values(this.#filed).flatMap((filed) => [...filed.values()])) this.put(vmi);
  }
}
