/** Why a set backs off: the server refused a create or delete, or its VMIs fail as soon as they are started. */
export type BackOffReason = 'refused' | 'crashLoop';

export interface Waiting {
  readonly reason: BackOffReason;
  readonly remainingMs: number;
}

interface Entry {
  readonly reason: BackOffReason;
  readonly failures: number;
  readonly untilMs: number;
  readonly generation: number;
}

const INITIAL_MS = 500;
const MAX_MS = 30_000;

/**
 * The back-off of sets that fail. Each failure in a row doubles the wait; a new generation of the set ends it at once,
 * for the change may be the remedy. Other events of the set do not: a busy set would try again with each of them.
 */
export class BackOff {
  readonly #entries = new Map<string, Entry>();

  /** Records one more failure, and returns how long the set has to wait. */
  next(key: string, reason: BackOffReason, generation: number, nowMs: number): number {
    const before = this.#entries.get(key);
    const failures = before?.reason === reason && before.generation === generation ? before.failures + 1 : 0;
    const waitMs = Math.min(INITIAL_MS * 2 ** failures, MAX_MS);
    this.#entries.set(key, { reason, failures, untilMs: nowMs + waitMs, generation });
    return waitMs;
  }

  /** What the set still has to wait for, if anything. */
  get(key: string, generation: number, nowMs: number): Waiting | undefined {
    const entry = this.#entries.get(key);
    if (!entry || entry.generation !== generation || entry.untilMs <= nowMs) return undefined;
    return { reason: entry.reason, remainingMs: entry.untilMs - nowMs };
  }

  /** The set no longer fails for this reason. */
  reset(key: string, reason: BackOffReason): void {
    if (this.#entries.get(key)?.reason === reason) this.#entries.delete(key);
  }

  /** The set is gone. */
  delete(key: string): void {
    this.#entries.delete(key);
  }
}
