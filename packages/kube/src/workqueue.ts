import { type Clock, systemClock } from './clock.ts';
import { controllerRateLimiter, type RateLimiter } from './rateLimiter.ts';

export interface WorkQueueOptions {
  readonly rateLimiter?: RateLimiter;
  readonly clock?: Clock;
}

/**
 * Keys that wait to be worked on. A key is in the queue once however often it is added, and never in two hands at once:
 * added while it is being processed, it comes again after `done`.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #rateLimiter: RateLimiter;
  /** Keys to hand out, in order. A Set, for it keeps insertion order and removes duplicates. */
  readonly #ready = new Set<string>();
  readonly #processing = new Set<string>();
  /** Added while being processed. */
  readonly #dirty = new Set<string>();
  readonly #delayed = new Map<string, { at: number; cancel: () => void }>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  readonly #drained = Promise.withResolvers<void>();
  #shuttingDown = false;

  constructor({ clock = systemClock, rateLimiter = controllerRateLimiter(clock) }: WorkQueueOptions = {}) {
    this.#clock = clock;
    this.#rateLimiter = rateLimiter;
  }

  /** How many keys could be handed out now. */
  get length(): number {
    return this.#ready.size;
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  add(key: string): void {
    if (this.#shuttingDown) return;
    if (this.#processing.has(key)) {
      this.#dirty.add(key);
      return;
    }
    const taker = this.#ready.has(key) ? undefined : this.#takers.shift();
    if (taker) this.#handOut(key, taker);
    else this.#ready.add(key);
  }

  /** Adds the key after `ms`. Of several delays of one key the shortest counts. */
  addAfter(key: string, ms: number): void {
    if (this.#shuttingDown) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const at = this.#clock.now() + ms;
    const waiting = this.#delayed.get(key);
    if (waiting && waiting.at <= at) return;
    waiting?.cancel();
    const cancel = this.#clock.after(ms, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { at, cancel });
  }

  /** Takes back what `addAfter` has promised for the key: the object is gone, and nobody needs to look again. */
  cancelAfter(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }

  /** Adds the key after a delay that grows with each call until `forget`. */
  addRateLimited(key: string): void {
    this.addAfter(key, this.#rateLimiter.nextDelayMs(key));
  }

  /** Ends the key's back-off: it went well, or will not be tried again. */
  forget(key: string): void {
    this.#rateLimiter.forget(key);
  }

  /** How often the key was rate-limited since it was last forgotten. */
  retries(key: string): number {
    return this.#rateLimiter.retries(key);
  }

  /** The next key, to be given back with `done`; undefined once the queue is shut down and empty. */
  take(): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const [next] = this.#ready;
    if (next !== undefined) {
      this.#ready.delete(next);
      this.#handOut(next, resolve);
    } else if (this.#shuttingDown) resolve(undefined);
    else this.#takers.push(resolve);
    return promise;
  }

  /** Says that the holder of `key` is finished with it, well or not. */
  done(key: string): void {
    this.#processing.delete(key);
    if (this.#dirty.delete(key)) {
      // Straight into the queue: a key added before the shutdown is still worked on.
      const taker = this.#takers.shift();
      if (taker) this.#handOut(key, taker);
      else this.#ready.add(key);
    }
    this.#checkDrained();
  }

  /** Takes no more keys and drops the delayed ones. Resolves when all that were added have been worked on. */
  shutdown(): Promise<void> {
    this.#shuttingDown = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    if (this.#dirty.size === 0) this.#dismissTakers();
    this.#checkDrained();
    return this.#drained.promise;
  }

  #handOut(key: string, taker: (key: string) => void): void {
    this.#processing.add(key);
    taker(key);
  }

  #checkDrained(): void {
    if (!this.#shuttingDown || this.#ready.size > 0 || this.#processing.size > 0) return;
    this.#dismissTakers();
    this.#drained.resolve();
  }

  #dismissTakers(): void {
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }
}
