import { FIRST_REVISION, type Log } from '../log.ts';
import { LogStore } from '../logStore.ts';
import type { Store } from '../store.ts';

/** Options of a store without a disk. */
export interface MemoryStoreOptions {
  /** How many events are kept for watches that start in the past. */
  readonly historyEvents?: number;
  /** Gets what a watch listener throws. */
  readonly onError?: (error: unknown) => void;
}

/** A store that lives and dies with the process; writes still become visible later, as on disk. */
export function openMemoryStore({ historyEvents = 100_000, onError = report }: MemoryStoreOptions = {}): Store {
  return new LogStore(
    nothingKept,
    { revision: FIRST_REVISION, compactRevision: 0, objects: [] },
    { recent: { events: historyEvents, bytes: Number.POSITIVE_INFINITY }, onError },
  );
}

const nothingKept: Log = {
  append: () => Promise.resolve(),
  compact: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

const report = (error: unknown): void => console.error('a watch listener failed:', error);
