/** An object is needed in a version that a webhook has yet to make of it. */
export class NotConverted extends Error {
  /** Settles when it can be had, or cannot. */
  readonly ready: Promise<unknown>;

  constructor(ready: Promise<unknown>) {
    super('an object has to be converted first');
    this.ready = ready;
    // Whoever catches this waits for it; nobody else has to.
    ready.catch(() => {});
  }
}

/**
 * Does something that reads or compares objects. Where some of them have to be converted by a webhook first, that is
 * waited for, and it is done again from the beginning. All others get their result at once.
 */
export function whenConverted<T>(action: () => T): T | Promise<T> {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof NotConverted)) throw error;
    return again(action, error);
  }
}

async function again<T>(action: () => T, first: NotConverted): Promise<T> {
  for (let missing = first; ; ) {
    await missing.ready;
    try {
      return action();
    } catch (error) {
      if (!(error instanceof NotConverted)) throw error;
      missing = error;
    }
  }
}
