import type { Persisted, UnknownObject } from '@vireo/api';

/**
 * Where the server keeps its objects: a map from key to the newest version, and the log of how it came about.
 * Reads never wait and never touch the disk. A write is visible, to readers and watchers alike, only once it is durable.
 *
 * Keys are `group/resource/namespace/name` or `group/resource/name`; listing and watching go by key prefix.
 * Implementations: `memory.ts`, `sqlite.ts`. Both pass `contract.ts`.
 */
export interface Store {
  /** The newest durable revision. */
  readonly revision: number;
  /** Why the last write failed; undefined while writes succeed. */
  readonly problem: string | undefined;
  /** Watches must start at or after this revision. */
  readonly compactRevision: number;

  get(key: string): Stored | undefined;

  /** Objects below `prefix` in key order, those after `startAfter` only. */
  list(prefix: string, options?: { startAfter?: string; limit?: number }): Stored[];

  /** How many objects are below `prefix`. */
  count(prefix: string): number;

  /**
   * Creates (`expected: 0`), replaces (`expected`: the revision that was read) or deletes (`make` returns undefined).
   * `make` gets the revision of this write and returns the object that carries it; it is called once, synchronously.
   * Resolves when the write is durable and visible; rejects with StoreConflict when `expected` is not current, with
   * StoreUnavailable when it could not be made durable.
   */
  write(key: string, expected: number, make: (revision: number) => UnknownObject | undefined): Promise<Stored>;

  /**
   * Calls `listener` for each change below `prefix` after `since`, in order, exactly once: first what already happened,
   * then what happens; never before `watch` has returned. Throws StoreCompacted when `since` is too old.
   * A prefix without trailing slash is one exact key; the empty prefix is everything.
   * `lost` is called, and nothing after it, when the history could not be read: the watcher has to list again.
   */
  watch(
    prefix: string,
    since: number,
    listener: (event: StoreEvent) => void,
    lost?: (error: Error) => void,
  ): Subscription;

  /** Forgets history up to `revision`; the newest version of every object stays. */
  compact(revision: number): Promise<void>;

  close(): Promise<void>;
}

export interface Stored {
  readonly key: string;
  /** Revision of the last change; for a deletion, of the deletion itself. */
  readonly revision: number;
  readonly createRevision: number;
  /** Frozen. Its metadata.resourceVersion is `revision`. */
  readonly object: Persisted<UnknownObject>;
  /** `object` as JSON; encoded once, shared by every reader and watcher. */
  readonly bytes: Buffer;
}

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly key: string;
  /** The new version; for DELETED the last version, with the revision of the deletion. */
  readonly current: Stored;
  /** The version before; absent for ADDED. */
  readonly previous?: Stored;
}

export interface Subscription {
  /** Whether the past has been delivered: from here on events come as they happen. */
  readonly isCaughtUp: boolean;
  close(): void;
}

export class StoreConflict extends Error {
  readonly key: string;
  /** The version that is there instead, if any. */
  readonly current: Stored | undefined;
  constructor(key: string, current: Stored | undefined) {
    super(`${key} is at revision ${current?.revision ?? 'none'}`);
    this.name = 'StoreConflict';
    this.key = key;
    this.current = current;
  }
}

export class StoreCompacted extends Error {
  readonly revision: number;
  readonly compactRevision: number;
  constructor(revision: number, compactRevision: number) {
    super(`revision ${revision} is older than ${compactRevision}, the oldest that can be watched from`);
    this.name = 'StoreCompacted';
    this.revision = revision;
    this.compactRevision = compactRevision;
  }
}

/** A write that could not be made durable, and is not visible: the disk is full or broken, or the store is closed. */
export class StoreUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreUnavailable';
  }
}
