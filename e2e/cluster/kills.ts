import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';

/** Kills the leading controllers and one extension at once; resolves when others are ready in their place. */
export type Kill = () => Promise<void>;

/** What is going on when the kill comes. */
export interface Middle {
  /** Resolves when the work has begun. Default: when the request was accepted, so that controllers and nodes work on it. */
  readonly begun?: () => Promise<unknown>;
  /** What a repeated request is refused with because the first one did its work. */
  readonly done?: RegExp;
}

/** Requests something, kills, and gives the answer; a request that failed of the kill is repeated, as a user would. */
export type InTheMiddle = <T>(request: () => Promise<T>, middle?: Middle) => Promise<T | string>;

interface Waiting {
  readonly isLong: boolean;
  /** Requests it; resolves when its work has begun. */
  begin(): Promise<unknown>;
}

const PATIENT = { timeout: 120_000, interval: 500 };

/** How long a request that is answered at once may have been on its way when the kill comes. */
const ON_ITS_WAY_MS = 20;

/** For requests that are answered at once: the kill comes while they are on their way. */
export const ON_ITS_WAY: Middle = { begun: () => delay(ON_ITS_WAY_MS) };

/** Tries something again, as a user would, that may have asked an extension which has just died. */
export const retried = <T>(attempt: () => Promise<T>): Promise<T> => vi.waitFor(attempt, PATIENT);

/**
 * Cases that run at the same time share their kills: all that wait when the cluster is whole again make their requests,
 * and then comes one kill in the middle of each. `whenWhole` resolves when there is a leader and every extension serves.
 */
export function killsInRounds(whenWhole: () => Promise<Kill>): InTheMiddle {
  let waiting: Waiting[] = [];
  let last: Promise<void> = Promise.resolve();
  const play = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const kill = await whenWhole();
    const round = waiting;
    waiting = [];
    // What takes long to begin must not outlast what is soon done.
    for (const isLong of [true, false])
      await Promise.all(round.filter((each) => each.isLong === isLong).map((each) => each.begin()));
    await kill();
  };
  return <T>(request: () => Promise<T>, { begun, done }: Middle = {}) =>
    new Promise<T | string>((resolve, reject) => {
      const attempt = (): Promise<T | string> =>
        request().catch((error: Error) => {
          if (done?.test(error.message)) return error.message;
          throw error;
        });
      const begin = async (): Promise<void> => {
        const running = begun ? attempt() : retried(attempt);
        running.catch(() => retried(attempt)).then(resolve, reject);
        await Promise.race([begun?.() ?? running, running]).catch(() => {});
      };
      waiting.push({ isLong: begun !== undefined && begun !== ON_ITS_WAY.begun, begin });
      last = last.then(play);
      last.catch(reject);
      last = last.catch(() => {});
    });
}
