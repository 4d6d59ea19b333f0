import { type Clock, systemClock } from './clock.ts';

/** Decides how long a key waits before it is tried again. */
export interface RateLimiter {
  nextDelayMs(key: string): number;
  forget(key: string): void;
  retries(key: string): number;
}

/** A bucket that fills at a constant rate: `take` says how long to wait for the next token. */
export class TokenBucket {
  readonly #ratePerSecond: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #filledAt: number;

  constructor({ ratePerSecond, burst, clock = systemClock }: { ratePerSecond: number; burst: number; clock?: Clock }) {
    this.#ratePerSecond = ratePerSecond;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#filledAt = clock.now();
  }

  /** Takes a token, in advance if there is none; how long the taker has to wait for it. */
  takeAfterMs(): number {
    this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#ratePerSecond) * 1000;
  }

  #fill(): void {
    const now = this.#clock.now();
    const elapsedSeconds = Math.max(0, now - this.#filledAt) / 1000;
    this.#tokens = Math.min(this.#burst, this.#tokens + elapsedSeconds * this.#ratePerSecond);
    this.#filledAt = now;
  }
}

const FIRST_DELAY_MS = 5;
const LONGEST_DELAY_MS = 1_000_000;

/** The delay after `failures` failures in a row: 5 ms, doubled each time, at most 1000 s. */
export const exponentialDelayMs = (failures: number): number =>
  Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS);

/** What controllers use: each key backs off on its own, and all together are held to 10 retries a second after 100. */
export function controllerRateLimiter(clock: Clock = systemClock): RateLimiter {
  const failures = new Map<string, number>();
  const overall = new TokenBucket({ ratePerSecond: 10, burst: 100, clock });
  return {
    nextDelayMs(key) {
      const before = failures.get(key) ?? 0;
      failures.set(key, before + 1);
      return Math.max(exponentialDelayMs(before), overall.takeAfterMs());
    },
    forget: (key) => void failures.delete(key),
    retries: (key) => failures.get(key) ?? 0,
  };
}
