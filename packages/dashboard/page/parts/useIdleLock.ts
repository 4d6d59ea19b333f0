import { useEffect, useRef } from 'react';

const LOOK_MS = 10_000;
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

let held = 0;

/** Keeps the page from being locked while something runs that a lock would end, such as an upload; call the result at its end. */
export function holdOpen(): () => void {
  held += 1;
  let isOver = false;
  return () => {
    if (!isOver) held -= 1;
    isOver = true;
  };
}

/** Calls back once nobody has touched the page for so long, also when the computer slept meanwhile. Undefined: never. */
export function useIdleLock(idleMs: number | undefined, onIdle: () => void): void {
  const callback = useRef(onIdle);
  callback.current = onIdle;
  useEffect(() => {
    if (idleMs === undefined) return;
    let touchedAtMs = Date.now();
    const touch = (): void => {
      // Waking up is a touch, too, but it comes too late.
      if (Date.now() - touchedAtMs < idleMs || held > 0) touchedAtMs = Date.now();
      else callback.current();
    };
    const timer = setInterval(() => {
      if (Date.now() - touchedAtMs >= idleMs && held === 0) callback.current();
    }, LOOK_MS);
    for (const sign of SIGNS) window.addEventListener(sign, touch, { passive: true });
    return () => {
      clearInterval(timer);
      for (const sign of SIGNS) window.removeEventListener(sign, touch);
    };
  }, [idleMs]);
}
