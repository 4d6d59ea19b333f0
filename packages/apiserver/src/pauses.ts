import { setImmediate } from 'node:timers/promises';

const LONG_MS = 10;

/** Lets other requests have their turn between expressions that take long together. */
export class Pauses {
  #since = performance.now();

  /** Nothing to wait for, most of the time. */
  due(): Promise<void> | undefined {
    if (performance.now() - this.#since < LONG_MS) return undefined;
    return setImmediate().then(() => {
      this.#since = performance.now();
    });
  }
}
