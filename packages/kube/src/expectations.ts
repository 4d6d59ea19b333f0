import { type Clock, systemClock } from './clock.ts';

/** After this long an expectation counts as lost, and the controller reconciles again. */
export const EXPECTATIONS_TIMEOUT_MS = 300_000;

interface Expected {
  creations: number;
  readonly deletions: Set<string>;
  sinceMs: number;
}

/**
 * What a controller has done and its informer has not shown yet. Until `isSatisfied`, the cache is too old to count
 * replicas in: who counted now would create what already exists.
 *
 * @example
 * expectations.expectCreations(key, missing);
 * // for each: create, and on failure expectations.creationObserved(key)
 * runController({ for: sets, owns: [pods], expectations, reconcile, … }) notes what shows up.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** `count` objects are about to be created; to be called before the first is. */
  expectCreations(key: string, count: number): void {
    this.#renewed(key).creations += Math.max(0, count);
  }

  /** The objects with these uids are about to be deleted. */
  expectDeletions(key: string, uids: Iterable<string>): void {
    const { deletions } = this.#renewed(key);
    for (const uid of uids) deletions.add(uid);
  }

  /** A created object has shown up, or will not: the server refused it. */
  creationObserved(key: string | undefined): void {
    const expected = key === undefined ? undefined : this.#expected.get(key);
    if (expected && expected.creations > 0) expected.creations -= 1;
  }

  /** A deletion has shown up, as the end of the object or as its deletionTimestamp; often both: each uid counts once. */
  deletionObserved(key: string | undefined, uid: string): void {
    if (key !== undefined) this.#expected.get(key)?.deletions.delete(uid);
  }

  /** Whether the informer has caught up with what was done for `key`, or there is no hope that it will. */
  isSatisfied(key: string): boolean {
    const expected = this.#expected.get(key);
    if (!expected) return true;
    const isFulfilled = expected.creations === 0 && expected.deletions.size === 0;
    if (!isFulfilled && this.#clock.now() - expected.sinceMs <= EXPECTATIONS_TIMEOUT_MS) return false;
    this.#expected.delete(key);
    return true;
  }

  /** The owner is gone. */
  forget(key: string): void {
    this.#expected.delete(key);
  }

  #renewed(key: string): Expected {
    const expected = this.#expected.get(key) ?? { creations: 0, deletions: new Set<string>(), sinceMs: 0 };
    expected.sinceMs = this.#clock.now();
    this.#expected.set(key, expected);
    return expected;
  }
}
