import type { EndpointSlice, Lease, Persisted } from '@vireo/api';
import { Silence } from '../node/silence.ts';

/** The objects of an instance of the extension. */
export interface Instance {
  readonly lease: Persisted<Lease> | undefined;
  readonly slice: Persisted<EndpointSlice> | undefined;
}

/** An instance renews its Lease every second. One whose renewal is late is asked about. */
const QUIET_MS = 1_200;
/** How often the server is asked about it. */
const LOOK_MS = 500;
/** Looks that are farther apart do not add up: a server that did not answer has missed renewals. */
const LONGEST_GAP_MS = 3 * LOOK_MS;
/** For an instance that has a slice and no Lease, which is made first. */
const DEFAULT_SECONDS = 3;

/** What a controller does about an instance: look again later, or remove the objects as the server has them. */
export type InstanceDecision = { readonly lookAgainMs: number } | { readonly remove: Instance };

/** What one controller has seen of the instances of the extension. */
export class InstanceSilence {
  /** As the cache shows them. */
  readonly #cached = new Silence();
  /** As the server, asked again and again, has confirmed them. */
  readonly #confirmed = new Silence(LONGEST_GAP_MS);

  /** An instance is dead when the server, asked for as long as its Lease lasts, has had no renewal of it. */
  async look(
    key: string,
    cached: Instance,
    { read, now }: { readonly read: () => Promise<Instance>; readonly now: () => number },
  ): Promise<InstanceDecision> {
    const quietMs = this.#cached.look(key, signOf(cached), now());
    if (quietMs < QUIET_MS) {
      this.#confirmed.forget(key);
      return { lookAgainMs: QUIET_MS - quietMs };
    }
    const askedAtMs = now();
    const current = await read();
    const silentMs = this.#confirmed.look(key, signOf(current), askedAtMs);
    const durationMs = (current.lease?.spec?.leaseDurationSeconds ?? DEFAULT_SECONDS) * 1000;
    if (silentMs >= durationMs) return { remove: current };
    return { lookAgainMs: Math.min(LOOK_MS, durationMs - silentMs) };
  }

  forget(key: string): void {
    this.#cached.forget(key);
    this.#confirmed.forget(key);
  }
}

/** What changes as long as an instance lives. */
const signOf = ({ lease, slice }: Instance): string =>
  `${lease?.metadata.uid} ${lease?.spec?.renewTime} ${slice?.metadata.uid}`;
