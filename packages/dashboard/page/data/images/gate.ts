/** What a transfer passes before each piece: closed, it waits. */
export class Gate {
  #opening: PromiseWithResolvers<void> | undefined;

  get isOpen(): boolean {
    return this.#opening === undefined;
  }

  close(): void {
    this.#opening ??= Promise.withResolvers<void>();
  }

  open(): void {
    this.#opening?.resolve();
    this.#opening = undefined;
  }

  async pass(signal: AbortSignal): Promise<void> {
    while (this.#opening) {
      signal.throwIfAborted();
      const { promise, reject } = Promise.withResolvers<void>();
      const abort = (): void => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      await Promise.race([this.#opening.promise, promise]).finally(() => signal.removeEventListener('abort', abort));
    }
  }
}
