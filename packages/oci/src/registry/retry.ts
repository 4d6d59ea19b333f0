import { setTimeout as sleep } from 'node:timers/promises';
import { OciError } from '../errors.ts';
import { isTransient } from './http.ts';

/** How often and how soon a client tries again. */
export interface RetryPolicy {
  /** How often something is tried that brings nothing. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  attempts: 5,
  firstDelayMs: 500,
  maxDelayMs: 30_000,
  wait: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};

/** A response that may be another one a moment later. */
export class TryAgain extends OciError {
  /** What the registry asked for, if it did. */
  readonly afterMs: number | undefined;
  constructor(code: 'RateLimited' | 'BadResponse', message: string, afterMs?: number) {
    super(code, message);
    this.afterMs = afterMs;
  }
}

/** `Retry-After`: seconds, or a date. */
export function retryAfterMs(header: string | undefined, nowMs: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^[0-9]+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

export const isWorthRetrying = (error: unknown): boolean => error instanceof TryAgain || isTransient(error);

/** How long to wait before the next attempt; undefined when it is time to give up. */
export function delayMs(error: unknown, failures: number, retryPolicy: RetryPolicy): number | undefined {
  if (failures >= retryPolicy.attempts) return undefined;
  const asked = error instanceof TryAgain ? error.afterMs : undefined;
  // Whoever is asked to come back in an hour says so now, and leaves the waiting to its caller.
  if (asked !== undefined && asked > retryPolicy.maxDelayMs) return undefined;
  const backOff = Math.min(retryPolicy.maxDelayMs, retryPolicy.firstDelayMs * 2 ** (failures - 1));
  return Math.max(asked ?? 0, backOff);
}

/** Does something until it works, or is hopeless, or the attempts are used up. */
export async function retry<T>(attempt: () => Promise<T>, retryPolicy: RetryPolicy, signal?: AbortSignal): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      const ms = isWorthRetrying(error) ? delayMs(error, failures, retryPolicy) : undefined;
      if (signal?.aborted || ms === undefined) throw error;
      await retryPolicy.wait(ms, signal);
    }
  }
}
