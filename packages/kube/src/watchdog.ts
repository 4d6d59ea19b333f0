import type { Clock } from './clock.ts';

/** Aborts its signal when the parent does, or when what is expected does not come in time. */
export class Watchdog {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #clock: Clock;
  readonly #onAbort = () => this.#controller.abort(this.#parent.reason);
  #cancel: () => void = () => {};
  hasExpired = false;

  constructor(parent: AbortSignal, clock: Clock) {
    this.#parent = parent;
    this.#clock = clock;
    if (parent.aborted) this.#onAbort();
    parent.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  expectWithin(ms: number): void {
    this.#cancel();
    this.#cancel = this.#clock.after(ms, () => {
      this.hasExpired = true;
      this.#controller.abort(new Error(`received nothing for ${ms} ms`));
    });
  }

  [Symbol.dispose](): void {
    this.#cancel();
    this.#parent.removeEventListener('abort', this.#onAbort);
    // Leaving the loop early must end the stream, too.
    this.#controller.abort();
  }
}
