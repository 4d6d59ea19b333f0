import type { Stored } from '../store/store.ts';

const KEEP_MS = 5 * 60_000;
const MOST = 128;

/**
 * What the pages of a list after the first are cut from, so that all pages show one moment. A snapshot is an array of
 * pointers to immutable versions; it is forgotten after five minutes, and the client is then told to begin again.
 */
export class ListSnapshots {
  readonly #snapshots = new Map<string, { items: readonly Stored[]; expires: number }>();

  keep(key: string, items: readonly Stored[], now = Date.now()): void {
    this.#snapshots.delete(key);
    this.#snapshots.set(key, { items, expires: now + KEEP_MS });
    for (const [oldest, { expires }] of this.#snapshots) {
      if (expires > now && this.#snapshots.size <= MOST) break;
      this.#snapshots.delete(oldest);
    }
  }

  get(key: string, now = Date.now()): readonly Stored[] | undefined {
    const snapshot = this.#snapshots.get(key);
    return snapshot && snapshot.expires > now ? snapshot.items : undefined;
  }
}
