import type { Clock } from '@vireo/kube';

const EVERY_MS = 2_000;
/** What is not worth a write. */
const LEAST = 0.005;

/** Hands on how far something is, now and then. Disposing of it waits for the last word. */
export class Progress implements AsyncDisposable {
  readonly #tell: (share: number) => Promise<void>;
  readonly #clock: Clock;
  #told = 0;
  #nextMs: number;
  #telling: Promise<void> | undefined;

  constructor(tell: (share: number) => Promise<void>, clock: Clock) {
    this.#tell = tell;
    this.#clock = clock;
    this.#nextMs = clock.now() + EVERY_MS / 2;
  }

  set(share: number): void {
    if (this.#telling || share - this.#told < LEAST || this.#clock.now() < this.#nextMs) return;
    this.#told = share;
    this.#nextMs = this.#clock.now() + EVERY_MS;
    // That it cannot be told is no reason to stop.
    this.#telling = this.#tell(share)
      .catch(() => {})
      .finally(() => {
        this.#telling = undefined;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#telling;
  }
}
