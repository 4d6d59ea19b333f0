import type { Timing } from './follow.ts';

const TICK_MS = 5_000;
/** A clock that jumps by more has been asleep, and its connections may be dead without knowing. */
const SLEPT_MS = 30_000;

let waking = new AbortController();
let tickedAtMs = Date.now();

/** Ends the watches of before, so that they are opened again. */
function wake(): void {
  const before = waking;
  waking = new AbortController();
  before.abort();
}

if (typeof window !== 'undefined') {
  setInterval(() => {
    const now = Date.now();
    if (now - tickedAtMs > SLEPT_MS) wake();
    tickedAtMs = now;
  }, TICK_MS);
  window.addEventListener('online', wake);
}

/** The browser's clock. Pauses end early when the network is back and when the page is shown again. */
export const browserTiming: Timing & { untilWake(): AbortSignal } = {
  now: () => Date.now(),
  random: () => Math.random(),
  pause: (ms, signal) =>
    new Promise((resolve) => {
      const early = waking.signal;
      const shown = (): void => {
        if (document.visibilityState === 'visible') done();
      };
      const done = (): void => {
        clearTimeout(timer);
        for (const each of [signal, early]) each.removeEventListener('abort', done);
        document.removeEventListener('visibilitychange', shown);
        resolve();
      };
      const timer = setTimeout(done, ms);
      for (const each of [signal, early]) each.addEventListener('abort', done, { once: true });
      document.addEventListener('visibilitychange', shown);
      if (signal.aborted) done();
    }),
  untilWake: () => waking.signal,
};
