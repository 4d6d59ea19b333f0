/** Delays between attempts to reach a server: doubled each time, spread at random so that clients do not come in step. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #attempts = 0;

  constructor({ firstMs = 200, longestMs = 30_000 }: { firstMs?: number; longestMs?: number } = {}) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
  }

  /** Between half and all of the delay that is due. */
  nextMs(): number {
    const delay = Math.min(this.#firstMs * 2 ** this.#attempts, this.#longestMs);
    this.#attempts += 1;
    return delay * (0.5 + Math.random() / 2);
  }

  reset(): void {
    this.#attempts = 0;
  }
}
