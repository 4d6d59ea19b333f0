import { setImmediate } from 'node:timers';
import type { UnknownObject } from '@vireo/api';
import { resourceOfKey } from './keys.ts';
import { Keyspace } from './keyspace.ts';
import type { Log, LogEntry, LogState } from './log.ts';
import { RecentEvents, type RecentLimits } from './recentEvents.ts';
import {
  type Store,
  StoreCompacted,
  StoreConflict,
  type Stored,
  type StoreEvent,
  StoreUnavailable,
  type Subscription,
} from './store.ts';
import { deletedVersion, newVersion } from './stored.ts';
import { type Watcher, Watchers } from './watchers.ts';

export interface LogStoreOptions {
  readonly recent: RecentLimits;
  /** Gets what a listener throws; the other listeners are served all the same. */
  readonly onError: (error: unknown) => void;
}

/** A write that has its revision and is on its way to the log. */
interface PendingWrite extends LogEntry {
  readonly event: StoreEvent;
  readonly done: PromiseWithResolvers<Stored>;
}

/**
 * The store over any log. Revisions are assigned here, in the order of the calls; while one batch of writes is made
 * durable, the next one gathers. A batch that fails leaves a gap in the revisions and nothing else: no later write
 * builds on it, because a write waits while its key has another one under way.
 */
export class LogStore implements Store {
  readonly #log: Log;
  readonly #keyspace = new Keyspace();
  readonly #recent: RecentEvents;
  readonly #watchers: Watchers;
  readonly #pending = new Map<string, PendingWrite>();
  /** Replays of the log that are under way, by the revision they started at. */
  readonly #replays = new Map<Promise<void>, number>();
  #gathering: PendingWrite[] = [];
  #flushing = false;
  #idle: PromiseWithResolvers<void> | undefined;
  #assigned: number;
  #revision: number;
  #compactRevision: number;
  #problem: string | undefined;
  #closed: Promise<void> | undefined;

  constructor(log: Log, state: LogState, options: LogStoreOptions) {
    this.#log = log;
    this.#revision = state.revision;
    this.#assigned = state.revision;
    this.#compactRevision = state.compactRevision;
    this.#recent = new RecentEvents(log.read === undefined ? state.compactRevision : state.revision, options.recent);
    this.#watchers = new Watchers(options.onError);
    for (const stored of state.objects) this.#keyspace.put(stored);
  }

  get revision(): number {
    return this.#revision;
  }

  get compactRevision(): number {
    return this.#log.read === undefined ? Math.max(this.#compactRevision, this.#recent.floor) : this.#compactRevision;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get(key: string): Stored | undefined {
    return this.#keyspace.get(key);
  }

  list(prefix: string, options: { startAfter?: string; limit?: number } = {}): Stored[] {
    return this.#keyspace.list(prefix, options.startAfter, options.limit ?? Number.POSITIVE_INFINITY);
  }

  count(prefix: string): number {
    return this.#keyspace.count(prefix);
  }

  async write(key: string, expected: number, make: (revision: number) => UnknownObject | undefined): Promise<Stored> {
    resourceOfKey(key);
    for (;;) {
      if (this.#closed !== undefined) throw new StoreUnavailable(`${key} was not stored: the store is closed`);
      const current = this.#keyspace.get(key);
      // Revisions never come back, so a mismatch now is one whatever becomes of a write that is under way.
      if ((current?.revision ?? 0) !== expected) throw new StoreConflict(key, current);
      const other = this.#pending.get(key);
      if (other === undefined) return this.#begin(key, current, make);
      await whenSettled(other.done.promise);
    }
  }

  watch(
    prefix: string,
    since: number,
    listener: (event: StoreEvent) => void,
    lost?: (error: Error) => void,
  ): Subscription {
    if (this.#closed !== undefined) throw new StoreUnavailable(`cannot watch ${prefix}: the store is closed`);
    if (since < this.compactRevision) throw new StoreCompacted(since, this.compactRevision);
    const watcher = this.#watchers.add(prefix, since, listener);
    if (since < this.#revision) this.#catchUp(watcher, prefix, since, lost);
    return watcher;
  }

  async compact(revision: number): Promise<void> {
    if (revision > this.#revision) {
      throw new RangeError(`cannot compact at revision ${revision}: the newest is ${this.#revision}`);
    }
    if (revision <= this.compactRevision) return;
    this.#compactRevision = revision;
    this.#recent.trim(revision);
    // Watches that started before stay whole: what they still have to read is removed after them.
    await Promise.all([...this.#replays].filter(([, since]) => since < revision).map(([replay]) => replay));
    await this.#log.compact(revision);
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      await this.#quiet();
      this.#watchers.closeAll();
      await Promise.all(this.#replays.keys());
      await this.#log.close();
    })();
    return this.#closed;
  }

  /** Assigns the revision and queues the write. Nothing else happens between the caller's check and this. */
  #begin(key: string, current: Stored | undefined, make: (revision: number) => UnknownObject | undefined) {
    const revision = ++this.#assigned;
    const made = make(revision);
    const event = change(key, revision, current, made);
    const write: PendingWrite = {
      stored: event.current,
      previousRevision: current?.revision ?? 0,
      deleted: event.type === 'DELETED',
      event,
      done: Promise.withResolvers(),
    };
    this.#pending.set(key, write);
    this.#gathering.push(write);
    this.#scheduleFlush();
    return write.done.promise;
  }

  /** One turn of the event loop later: writers that were just answered, and requests that arrive together, share a batch. */
  #scheduleFlush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    const batch = this.#gathering;
    this.#gathering = [];
    const failed = await this.#log.append(batch).then(
      () => undefined,
      (error: Error) => error,
    );
    this.#problem = failed?.message;
    for (const write of batch) failed === undefined ? this.#publish(write) : this.#refuse(write, failed);
    this.#flushing = false;
    if (this.#gathering.length > 0) this.#scheduleFlush();
    else this.#idle?.resolve();
  }

  #publish(write: PendingWrite): void {
    const { event } = write;
    this.#pending.delete(event.key);
    if (write.deleted) this.#keyspace.remove(event.key);
    else this.#keyspace.put(write.stored);
    this.#revision = event.revision;
    this.#recent.push(event);
    this.#watchers.publish(event);
    write.done.resolve(write.stored);
  }

  #refuse(write: PendingWrite, cause: Error): void {
    this.#pending.delete(write.event.key);
    write.done.reject(new StoreUnavailable(`${write.event.key} was not stored: ${cause.message}`, cause));
  }

  /** Resolves when no write is under way. */
  async #quiet(): Promise<void> {
    if (!this.#flushing) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
  }

  #catchUp(watcher: Watcher, prefix: string, since: number, lost: ((error: Error) => void) | undefined): void {
    watcher.hold();
    const past =
      since >= this.#recent.floor
        ? this.#replayRecent(watcher, this.#recent.after(since, prefix))
        : this.#replayLog(watcher, prefix, since, this.#revision);
    const replay = past
      .then(
        () => watcher.release(),
        (error: Error) => {
          watcher.close();
          lost?.(error);
        },
      )
      .finally(() => this.#replays.delete(replay));
    this.#replays.set(replay, since);
  }

  async #replayRecent(watcher: Watcher, events: StoreEvent[]): Promise<void> {
    await undefined;
    for (const event of events) watcher.deliver(event);
  }

  async #replayLog(watcher: Watcher, prefix: string, since: number, upTo: number): Promise<void> {
    let after = since;
    while (!watcher.closed) {
      const events = (await this.#log.read?.(prefix, after, upTo)) ?? [];
      if (events.length === 0) return;
      for (const event of events) watcher.deliver(event);
      after = events.at(-1)!.revision;
    }
  }
}

/** What a write does, as an event. `made` is what its caller wants there; undefined to delete. */
function change(
  key: string,
  revision: number,
  previous: Stored | undefined,
  made: UnknownObject | undefined,
): StoreEvent {
  if (made !== undefined) {
    const current = newVersion(key, revision, previous?.createRevision ?? revision, made);
    return { type: previous === undefined ? 'ADDED' : 'MODIFIED', revision, key, current, previous };
  }
  if (previous === undefined) throw new TypeError(`cannot delete ${key}: it does not exist`);
  return { type: 'DELETED', revision, key, current: deletedVersion(previous, revision), previous };
}

const whenSettled = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    () => undefined,
  );
