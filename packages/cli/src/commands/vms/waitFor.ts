import { type Clock, pause, systemClock } from '@vireo/kube';

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly intervalMs: number;
  readonly clock?: Clock;
}

/** Asks until there is an answer; undefined when time is up first. */
export async function waitFor<T>(
  ask: () => Promise<T | undefined>,
  { timeoutMs, intervalMs, clock = systemClock }: WaitOptions,
): Promise<T | undefined> {
  const deadline = clock.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (clock.now() + intervalMs > deadline) return undefined;
    await pause(intervalMs, new AbortController().signal, clock);
  }
}
