import { useEffect, useRef } from 'react';

const IDLE_MS = 15 * 60_000;
const LOOK_MS = 10_000;
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/** Calls back once nobody has touched the page for a quarter of an hour, also when the computer slept meanwhile. */
export function useIdleLock(isOn: boolean, onIdle: () => void): void {
  const callback = useRef(onIdle);
  callback.current = onIdle;
  useEffect(() => {
    if (!isOn) return;
    let touchedAtMs = Date.now();
    const touch = (): void => {
      // Waking up is a touch, too, but it comes too late.
      if (Date.now() - touchedAtMs < IDLE_MS) touchedAtMs = Date.now();
      else callback.current();
    };
    const timer = setInterval(() => {
      if (Date.now() - touchedAtMs >= IDLE_MS) callback.current();
    }, LOOK_MS);
    for (const sign of SIGNS) window.addEventListener(sign, touch, { passive: true });
    return () => {
      clearInterval(timer);
      for (const sign of SIGNS) window.removeEventListener(sign, touch);
    };
  }, [isOn]);
}
