import { chmodSync, closeSync, openSync } from 'node:fs';
import { horizon, type RevisionMark } from './horizon.ts';
import { lockStore } from './lock.ts';
import { LogStore } from './logStore.ts';
import { SqliteThread } from './sqliteThread.ts';
import type { Store } from './store.ts';

/** Options of a store on disk. */
export interface SqliteStoreOptions {
  readonly file: string;
  /** For how long a watch can start in the past. */
  readonly historyMs?: number;
  readonly compactEveryMs?: number;
  /** How many events stay in memory; watches that start before them read from disk. */
  readonly recentEvents?: number;
  /** Gets what a watch listener throws, and why a periodic compaction failed. */
  readonly onError?: (error: unknown) => void;
}

const FIVE_MINUTES_MS = 5 * 60_000;
/** Some minutes of a busy server; more would rather be memory that other things need. */
const RECENT_BYTES = 16 * 1024 * 1024;

/** Opens or creates the store in `file`. Throws StoreLocked when it is open elsewhere. */
export async function openSqliteStore({
  file,
  historyMs = FIVE_MINUTES_MS,
  compactEveryMs = FIVE_MINUTES_MS,
  recentEvents = 10_000,
  onError = (error) => console.error('store:', error),
}: SqliteStoreOptions): Promise<Store> {
  const lock = lockStore(file);
  try {
    // The objects include secrets. SQLite gives its side files the mode of the database.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    const thread = new SqliteThread(file);
    const state = await thread.opened;
    const store = new LogStore(thread, state, { recent: { events: recentEvents, bytes: RECENT_BYTES }, onError });
    const compacting = compactPeriodically(store, historyMs, compactEveryMs, onError);
    thread.onceClosed(() => {
      clearInterval(compacting);
      lock.release();
    });
    return store;
  } catch (error) {
    lock.release();
    throw new Error(`cannot open the store ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Compacts to where the store was `historyMs` ago; what was there when it was opened counts as new. */
function compactPeriodically(
  store: Store,
  historyMs: number,
  everyMs: number,
  onError: (error: unknown) => void,
): NodeJS.Timeout {
  let marks: RevisionMark[] = [{ atMs: performance.now(), revision: store.revision }];
  const tick = (): void => {
    const nowMs = performance.now();
    marks.push({ atMs: nowMs, revision: store.revision });
    const reached = horizon(marks, nowMs, historyMs);
    if (reached === undefined) return;
    marks = marks.slice(marks.indexOf(reached));
    store.compact(reached.revision).catch(onError);
  };
  return setInterval(tick, everyMs).unref();
}
