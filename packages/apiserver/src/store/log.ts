import type { Stored, StoreEvent } from './store.ts';

/** Where a LogStore makes its writes durable. */
export interface Log {
  /** All or nothing; resolves when durable. Called again only after the last call settled. */
  append(entries: readonly LogEntry[]): Promise<void>;

  /**
   * The next events below `prefix` after `after` and up to `upTo`, oldest first; fewer than there are, if they are many;
   * none when there are none left. Absent when the log keeps nothing that is not in memory.
   */
  read?(prefix: string, after: number, upTo: number): Promise<StoreEvent[]>;

  /** Forgets what was superseded or deleted at `revision`. */
  compact(revision: number): Promise<void>;

  close(): Promise<void>;
}

export interface LogEntry {
  readonly stored: Stored;
  /** Revision of the version before; 0 for a new object. */
  readonly previousRevision: number;
  readonly deleted: boolean;
}

/** What was in the log when it was opened. */
export interface LogState {
  readonly revision: number;
  readonly compactRevision: number;
  readonly objects: readonly Stored[];
}

/** A new log starts at 1, as etcd does: clients take resource version 0 for "any". */
export const FIRST_REVISION = 1;
