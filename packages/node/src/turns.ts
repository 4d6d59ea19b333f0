/** Has work on the same thing done one after another; work on different things goes on at the same time. */
export class Turns {
  /** The last work on each thing, by its key. */
  readonly #last = new Map<string, Promise<void>>();

  /** Does work when all that was asked for before, with the same key, has ended, however it ended. */
  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const settled: Promise<void> = done.then(
      () => this.#forget(key, settled),
      () => this.#forget(key, settled),
    );
    this.#last.set(key, settled);
    return done;
  }

  #forget(key: string, settled: Promise<void>): void {
    if (this.#last.get(key) === settled) this.#last.delete(key);
  }
}
