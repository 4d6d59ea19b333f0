/** Why a set is held back: the server refused what was asked of it, or no instance gets anywhere. */
export type Hindrance = 'refused' | 'fruitless';

/** How long a set has to wait yet, and why. */
export interface Held {
  readonly why: Hindrance;
  readonly remainingMs: number;
}

interface Wait {
  readonly why: Hindrance;
  readonly attempts: number;
  readonly untilMs: number;
  readonly generation: number;
}

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Holds sets back whose work is in vain. Each failure in a row doubles the wait; a change of the set ends it at once,
 * for it may be the remedy. Other events of the set do not: else a busy set would try again with each of them.
 */
export class Restraint {
  readonly #held = new Map<string, Wait>();

  /** Notes one more failure; how long the set has to wait. */
  hold(key: string, why: Hindrance, generation: number, nowMs: number): number {
    const before = this.#held.get(key);
    const attempts = before?.why === why && before.generation === generation ? before.attempts + 1 : 0;
    const waitMs = Math.min(FIRST_MS * 2 ** attempts, LONGEST_MS);
    this.#held.set(key, { why, attempts, untilMs: nowMs + waitMs, generation });
    return waitMs;
  }

  of(key: string, generation: number, nowMs: number): Held | undefined {
    const held = this.#held.get(key);
    if (!held || held.generation !== generation || held.untilMs <= nowMs) return undefined;
    return { why: held.why, remainingMs: held.untilMs - nowMs };
  }

  /** What the set was held back for is over. */
  release(key: string, why: Hindrance): void {
    if (this.#held.get(key)?.why === why) this.#held.delete(key);
  }

  /** The set is gone. */
  forget(key: string): void {
    this.#held.delete(key);
  }
}
