/**
 * Ends what has not been heard of for too long: a connection that is dead, behind a firewall that forgot it or a cable that
 * was pulled, looks like one on which nothing happens.
 */
export class Silence {
  readonly #ended = new AbortController();
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.heard();
  }

  /** Aborts when nothing was heard in time. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  heard(): void {
    clearTimeout(this.#timer);
    const seconds = Math.round(this.#ms / 1000);
    const end = (): void => this.#ended.abort(new Error(`The server has been silent for ${seconds} s.`));
    this.#timer = setTimeout(end, this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
