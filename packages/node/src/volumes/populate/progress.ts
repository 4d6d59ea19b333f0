import type { Clock } from '@vireo/kube';

const EVERY_MS = 2_000;
/** What is not worth a write. */
const LEAST = 0.005;

/** Hands on how far something is, now and then. Disposing of it waits for the last word. */
export class Progress implements AsyncDisposable {
  readonly #report: (share: number) => Promise<void>;
  readonly #clock: Clock;
  #reported = 0;
  #nextMs: number;
  #reporting: Promise<void> | undefined;

  constructor(report: (share: number) => Promise<void>, clock: Clock) {
    this.#report = report;
    this.#clock = clock;
    this.#nextMs = clock.now() + EVERY_MS / 2;
  }

  set(share: number): void {
    if (this.#reporting || share - this.#reported < LEAST || this.#clock.now() < this.#nextMs) return;
    this.#reported = share;
    this.#nextMs = this.#clock.now() + EVERY_MS;
    // Progress that cannot be reported is no reason to stop.
    this.#reporting = this.#report(share)
      .catch(() => {})
      .finally(() => {
        this.#reporting = undefined;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reporting;
  }
}

/** Hands on what goes on, one step after the other. Disposing of it waits for the last one, so that it ends before a result. */
export class Steps implements AsyncDisposable {
  readonly #report: (text: string) => Promise<void>;
  #last = '';
  #reporting = Promise.resolve();

  constructor(report: (text: string) => Promise<void>) {
    this.#report = report;
  }

  set(text: string): void {
    if (text === this.#last) return;
    this.#last = text;
    // A step that cannot be reported is no reason to stop.
    this.#reporting = this.#reporting.then(() => this.#report(text)).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reporting;
  }
}
