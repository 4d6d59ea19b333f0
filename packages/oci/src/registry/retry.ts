import { setTimeout as sleep } from 'node:timers/promises';
import { OciError } from '../errors.ts';
import { isPassing } from './http.ts';

/** How patient a client is. */
export interface Patience {
  /** How often something is tried that brings nothing. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export const PATIENCE: Patience = {
  attempts: 5,
  firstDelayMs: 500,
  longestDelayMs: 30_000,
  wait: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};

/** An answer that may be another one a moment later. */
export class TryAgain extends OciError {
  /** What the registry asked for, if it did. */
  readonly afterMs: number | undefined;
  constructor(code: 'RateLimited' | 'BadAnswer', message: string, afterMs?: number) {
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

export const isWorthRetrying = (error: unknown): boolean => error instanceof TryAgain || isPassing(error);

/** How long to wait before the next attempt; undefined when it is time to give up. */
export function delayMs(error: unknown, failures: number, patience: Patience): number | undefined {
  if (failures >= patience.attempts) return undefined;
  const asked = error instanceof TryAgain ? error.afterMs : undefined;
  // Whoever is asked to come back in an hour says so now, and leaves the waiting to its caller.
  if (asked !== undefined && asked > patience.longestDelayMs) return undefined;
  const backOff = Math.min(patience.longestDelayMs, patience.firstDelayMs * 2 ** (failures - 1));
  return Math.max(asked ?? 0, backOff);
}

/** Does something until it works, or is hopeless, or patience ends. */
export async function retried<T>(attempt: () => Promise<T>, patience: Patience, signal?: AbortSignal): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      const ms = isWorthRetrying(error) ? delayMs(error, failures, patience) : undefined;
      if (signal?.aborted || ms === undefined) throw error;
      await patience.wait(ms, signal);
    }
  }
}
