import { type Clock, pause } from '@vireo/kube';

/** How often a move is looked at, as in KubeVirt. */
export const POLL_MS = 400;

/** Resolves when work has settled, however, or at the next look. Tells whether it has. */
export async function settledOrDue(work: Promise<unknown>, clock: Clock): Promise<boolean> {
  const waiting = new AbortController();
  const settled = work.then(
    () => true,
    () => true,
  );
  const due = pause(POLL_MS, waiting.signal, clock).then(() => false);
  try {
    return await Promise.race([settled, due]);
  } finally {
    waiting.abort();
  }
}

/**
 * Does work that may take long, and nobody can end: rejects as soon as there is a reason to stop. The signal of the work
 * is then aborted, and nothing waits for it any more.
 */
export async function unlessStopped<T>(
  work: (signal: AbortSignal) => Promise<T>,
  whyStop: () => string | undefined,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  const stop = new AbortController();
  const working = work(AbortSignal.any([signal, stop.signal]));
  for (;;) {
    if (await settledOrDue(working, clock)) return working;
    const why = signal.aborted ? undefined : whyStop();
    if (!signal.aborted && why === undefined) continue;
    const error = why === undefined ? signal.reason : new Error(why);
    stop.abort(error);
    throw error;
  }
}
