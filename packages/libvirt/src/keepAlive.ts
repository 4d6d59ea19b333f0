export interface KeepAliveOptions {
  /** After this long without a word from the daemon it is pinged. */
  readonly intervalMs: number;
  /** So many pings may stay without any answer before the connection counts as dead. */
  readonly count: number;
}

/** Notices a daemon that does not close its socket but has stopped answering, as one that hangs. */
export class KeepAlive {
  readonly #timer: NodeJS.Timeout;
  #heardSinceTick = false;
  #unanswered = 0;

  /** `isListening`: false while the daemon cannot answer because we do not read, or it does not read; no pings then. */
  constructor(options: KeepAliveOptions, act: { ping(): void; dead(): void; isListening(): boolean }) {
    this.#timer = setInterval(() => {
      if (this.#heardSinceTick || !act.isListening()) this.#unanswered = 0;
      else if (this.#unanswered >= options.count) return act.dead();
      else {
        this.#unanswered += 1;
        act.ping();
      }
      this.#heardSinceTick = false;
    }, options.intervalMs);
    this.#timer.unref();
  }

  /** Anything that the daemon sends proves that it lives. */
  heard(): void {
    this.#heardSinceTick = true;
    this.#unanswered = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
