import { useCallback, useSyncExternalStore } from 'react';
import { formatAge, formatTime } from '../decisions/times.ts';

/** How long ago something was; exactly when on hover, and for those who hear the page. */
export function Age({ time, now }: { readonly time: string | undefined; readonly now: number }) {
  return (
    <time dateTime={time} title={formatTime(time)}>
      {formatAge(time, now)}
    </time>
  );
}

/** The same for rows of long lists: draws again by itself, and only when it says something else. */
export function LiveAge({ time }: { readonly time: string | undefined }) {
  const text = useSyncExternalStore(
    onSecond,
    useCallback(() => formatAge(time, nowMs), [time]),
  );
  return (
    <time dateTime={time} title={formatTime(time)}>
      {text}
    </time>
  );
}

let nowMs = Date.now();
let ticking: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** One timer for all of them, while there are any. */
function onSecond(listener: () => void): () => void {
  listeners.add(listener);
  ticking ??= setInterval(tick, 1_000);
  nowMs = Date.now();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}
