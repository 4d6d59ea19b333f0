/** A stream of values that are pushed in on one side and iterated on the other. */
export class Channel<T> implements AsyncIterable<T> {
  readonly #values: T[] = [];
  #wake: (() => void) | undefined;
  #end: { readonly error?: Error } | undefined;

  push(value: T): void {
    if (this.#end) return;
    this.#values.push(value);
    this.#wake?.();
  }

  /** Ends the iteration once what was pushed is taken; with an error, throws it then. */
  end(error?: Error): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      while (this.#values.length > 0) yield this.#values.shift()!;
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}
