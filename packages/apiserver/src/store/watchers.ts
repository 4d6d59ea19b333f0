import { prefixesOf } from './keys.ts';
import type { StoreEvent, Subscription } from './store.ts';

/** Watchers, indexed by prefix: an event costs work for those who asked for it, not for all. */
export class Watchers {
  readonly #byPrefix = new Map<string, Set<Watcher>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  add(prefix: string, since: number, listener: (event: StoreEvent) => void): Watcher {
    const watcher = new Watcher(since, listener, this.#onError, () => {
      const set = this.#byPrefix.get(prefix);
      set?.delete(watcher);
      if (set?.size === 0) this.#byPrefix.delete(prefix);
    });
    const set = this.#byPrefix.get(prefix) ?? new Set();
    this.#byPrefix.set(prefix, set.add(watcher));
    return watcher;
  }

  publish(event: StoreEvent): void {
    for (const prefix of prefixesOf(event.key)) {
      const watchers = this.#byPrefix.get(prefix);
      if (watchers !== undefined) for (const watcher of watchers) watcher.offer(event);
    }
  }

  closeAll(): void {
    for (const watchers of [...this.#byPrefix.values()]) for (const watcher of [...watchers]) watcher.close();
  }
}

/** One subscription. While the past is replayed, it holds back the present, so that the listener sees one ordered line. */
export class Watcher implements Subscription {
  readonly #listener: (event: StoreEvent) => void;
  readonly #onError: (error: unknown) => void;
  readonly #remove: () => void;
  #last: number;
  #held: StoreEvent[] | undefined;
  #closed = false;

  constructor(
    since: number,
    listener: (event: StoreEvent) => void,
    onError: (error: unknown) => void,
    remove: () => void,
  ) {
    this.#last = since;
    this.#listener = listener;
    this.#onError = onError;
    this.#remove = remove;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get isCaughtUp(): boolean {
    return this.#held === undefined;
  }

  /** Keeps new events back until `release`. */
  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const event of held) this.deliver(event);
  }

  offer(event: StoreEvent): void {
    if (this.#held === undefined) this.deliver(event);
    else this.#held.push(event);
  }

  deliver(event: StoreEvent): void {
    if (this.#closed || event.revision <= this.#last) return;
    this.#last = event.revision;
    try {
      this.#listener(event);
    } catch (error) {
      queueMicrotask(() => this.#onError(error));
    }
  }

  close(): void {
    this.#closed = true;
    this.#held = undefined;
    this.#remove();
  }
}
