import type { Clock } from '../clock.ts';

/** A clock that runs a thousand times too fast: minutes of patience pass in a moment. */
export const impatientClock: Clock = {
  now: () => performance.now() * 1000,
  after(ms, run) {
    const timer = setTimeout(run, ms / 1000);
    return () => clearTimeout(timer);
  },
};
