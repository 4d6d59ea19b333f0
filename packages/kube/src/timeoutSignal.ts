/** A signal that aborts with the caller's, or when time is up. */
export class TimeoutSignal {
  readonly #controller = new AbortController();
  readonly #callers: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = () => this.#controller.abort(this.#callers?.reason);

  constructor(callers: AbortSignal | undefined, timeoutMs: number, what: string) {
    this.#callers = callers;
    this.#timer = setTimeout(() => {
      this.#controller.abort(new Error(`${what}: no response within ${timeoutMs} ms`));
    }, timeoutMs);
    if (callers?.aborted) this.#onAbort();
    callers?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  endTimeout(): void {
    clearTimeout(this.#timer);
  }

  [Symbol.dispose](): void {
    this.endTimeout();
    this.#callers?.removeEventListener('abort', this.#onAbort);
  }
}

/** The promise's outcome, or the reason of an abort that comes first. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}
