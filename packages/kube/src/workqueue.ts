import { type Clock, systemClock } from './clock.ts';
import { controllerRateLimiter, type RateLimiter } from './rateLimiter.ts';

export interface WorkQueueOptions {
  readonly rateLimiter?: RateLimiter;
  readonly clock?: Clock;
}

/** Told what happens to keys; durations in milliseconds. */
export interface WorkQueueObserver {
  added(): void;
  retried(): void;
  /** A key was handed out after waiting for so long. */
  taken(waitedMs: number): void;
  done(workedMs: number): void;
}

/**
 * Keys that wait to be worked on. A key is in the queue once however often it is added, and one worker at a time
 * has it: added while it is being processed, it comes again after `done`.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #rateLimiter: RateLimiter;
  /** Keys to hand out, in order, and since when they wait. A Map, for it keeps insertion order and removes duplicates. */
  readonly #ready = new Map<string, number>();
  /** Goes on where the last key was taken: each new iterator would step over the places of all that were taken before. */
  #inOrder = this.#ready.entries();
  /** Keys that were handed out, and when. */
  readonly #processing = new Map<string, number>();
  /** Added while being processed. */
  readonly #dirty = new Set<string>();
  readonly #delayed = new Map<string, { at: number; cancel: () => void }>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  readonly #drained = Promise.withResolvers<void>();
  #observer: WorkQueueObserver | undefined;
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

  /** Tells `observer` what happens from now on. */
  observe(observer: WorkQueueObserver): void {
    this.#observer = observer;
  }

  /** For how long each key is being worked on that is in somebody's hands. */
  workingMs(): number[] {
    const now = performance.now();
    return [...this.#processing.values()].map((since) => now - since);
  }

  add(key: string): void {
    if (this.#shuttingDown) return;
    if (this.#processing.has(key)) {
      if (!this.#dirty.has(key)) this.#observer?.added();
      this.#dirty.add(key);
      return;
    }
    if (this.#ready.has(key)) return;
    this.#observer?.added();
    this.#makeReady(key);
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
    this.#observer?.retried();
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
    const next = this.#first();
    if (next !== undefined) {
      const [key, since] = next;
      this.#ready.delete(key);
      this.#handOut(key, since, resolve);
    } else if (this.#shuttingDown) resolve(undefined);
    else this.#takers.push(resolve);
    return promise;
  }

  #first(): [key: string, since: number] | undefined {
    const next = this.#inOrder.next();
    if (!next.done) return next.value;
    // An iterator that came to the end stays there, whatever is added.
    this.#inOrder = this.#ready.entries();
    return this.#inOrder.next().value;
  }

  /** Says that the holder of `key` is finished with it, well or not. */
  done(key: string): void {
    const since = this.#processing.get(key);
    if (since !== undefined) this.#observer?.done(performance.now() - since);
    this.#processing.delete(key);
    // Straight into the queue: a key added before the shutdown is still worked on.
    if (this.#dirty.delete(key)) this.#makeReady(key);
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

  #makeReady(key: string): void {
    const now = performance.now();
    const taker = this.#takers.shift();
    if (taker) this.#handOut(key, now, taker);
    else this.#ready.set(key, now);
  }

  #handOut(key: string, since: number, taker: (key: string) => void): void {
    const now = performance.now();
    this.#processing.set(key, now);
    this.#observer?.taken(now - since);
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
