import type { Stored } from '../store/store.ts';

const KEEP_MS = 5 * 60_000;
/** How many pointers are kept at most; beyond that the oldest snapshots go, and are worked out again if asked for. */
const MAX_ITEMS = 1_000_000;

interface Snapshot {
  readonly items: readonly Stored[];
  readonly expires: number;
}

/**
 * What the pages of a list after the first are cut from, so that all pages show one moment without working it out
 * again from the history. A snapshot is an array of pointers to immutable versions; it goes with the last page, or
 * after five minutes.
 */
export class ListSnapshots {
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #mostItems: number;
  #items = 0;
  #sweeping: NodeJS.Timeout | undefined;

  constructor(mostItems = MAX_ITEMS) {
    this.#mostItems = mostItems;
  }

  get size(): number {
    return this.#snapshots.size;
  }

  keep(key: string, items: readonly Stored[], now = Date.now()): void {
    this.forget(key);
    this.#snapshots.set(key, { items, expires: now + KEEP_MS });
    this.#items += items.length;
    for (const oldest of this.#snapshots.keys()) {
      if (this.#items <= this.#mostItems) break;
      this.forget(oldest);
    }
    this.#sweeping ??= setTimeout(() => this.#sweep(), KEEP_MS).unref();
  }

  get(key: string, now = Date.now()): readonly Stored[] | undefined {
    const snapshot = this.#snapshots.get(key);
    return snapshot && snapshot.expires > now ? snapshot.items : undefined;
  }

  forget(key: string): void {
    this.#items -= this.#snapshots.get(key)?.items.length ?? 0;
    this.#snapshots.delete(key);
  }

  #sweep(): void {
    this.#sweeping = undefined;
    const now = Date.now();
    for (const [key, { expires }] of this.#snapshots) if (expires <= now) this.forget(key);
    if (this.#snapshots.size > 0) this.#sweeping = setTimeout(() => this.#sweep(), KEEP_MS).unref();
  }
}
