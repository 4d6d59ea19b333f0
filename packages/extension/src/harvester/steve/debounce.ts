import type { Clock } from '@vireo/kube';

/**
 * Calls `tell` at once, and after that no more often than every `ms`: what happens meanwhile is told once, at the end of
 * that time, with what came last. Nothing is told after the signal.
 */
export function debounced<T>(
  clock: Clock,
  ms: number,
  tell: (last: T) => void,
  signal: AbortSignal,
): (what: T) => void {
  let cancel: (() => void) | undefined;
  let due: { readonly last: T } | undefined;
  signal.addEventListener('abort', () => cancel?.(), { once: true });
  const tellNow = (last: T): void => {
    due = undefined;
    cancel = clock.after(ms, () => {
      cancel = undefined;
      if (due) tellNow(due.last);
    });
    tell(last);
  };
  return (what) => {
    if (signal.aborted) return;
    if (cancel) due = { last: what };
    else tellNow(what);
  };
}
