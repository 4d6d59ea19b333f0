import type { Clock } from '@vireo/kube';

/**
 * Calls `tell` at once, and after that no more often than every `ms`: what happens meanwhile is told once, at the end of
 * that time. Nothing is told after the signal.
 */
export function debounced(clock: Clock, ms: number, tell: () => void, signal: AbortSignal): () => void {
  let cancel: (() => void) | undefined;
  let isDue = false;
  signal.addEventListener('abort', () => cancel?.(), { once: true });
  const tellNow = (): void => {
    isDue = false;
    cancel = clock.after(ms, () => {
      cancel = undefined;
      if (isDue) tellNow();
    });
    tell();
  };
  return () => {
    if (signal.aborted) return;
    if (cancel) isDue = true;
    else tellNow();
  };
}
