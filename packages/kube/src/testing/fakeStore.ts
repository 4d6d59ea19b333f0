import { expired, type UnknownObject } from '@vireo/api';
import type { WatchEvent } from '../transport.ts';

export interface LogEntry {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
  readonly revision: number;
  readonly object: UnknownObject;
  readonly previous?: UnknownObject;
}

/** The fake server's memory: every change ever made, in order. The state at any revision is a replay of the log. */
export class FakeStore {
  readonly #log: LogEntry[] = [];
  readonly #listeners = new Set<(entry: LogEntry) => void>();
  #compacted = 0;

  get revision(): number {
    return this.#log.length;
  }

  state(revision = this.revision): Map<string, UnknownObject> {
    if (revision < this.#compacted) throw expired(`The resourceVersion ${revision} is too old`);
    const state = new Map<string, UnknownObject>();
    for (const { type, key, object } of this.#log.slice(0, revision)) {
      if (type === 'DELETED') state.delete(key);
      else state.set(key, object);
    }
    return new Map([...state].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  append(type: LogEntry['type'], key: string, object: UnknownObject): UnknownObject {
    const revision = this.revision + 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    const entry = { type, key, revision, object: stored, previous: this.state().get(key) };
    this.#log.push(entry);
    for (const listener of this.#listeners) listener(entry);
    return stored;
  }

  /** What happened after `revision`; throws Expired when that is forgotten. */
  since(revision: number): LogEntry[] {
    if (revision < this.#compacted) throw expired(`too old resource version: ${revision} (${this.#compacted})`);
    return this.#log.slice(revision);
  }

  listen(listener: (entry: LogEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Forgets all history up to now. */
  compact(): void {
    this.#compacted = this.revision;
  }
}

export type IsSelected = (key: string, object: UnknownObject) => boolean;

/** The change as a watch with a selection sees it: what stops to match is gone for it, what begins to match is new. */
export function toWatchEvent(
  { type, key, object, previous }: LogEntry,
  isSelected: IsSelected,
): WatchEvent | undefined {
  const was = previous !== undefined && isSelected(key, previous);
  const is = type !== 'DELETED' && isSelected(key, object);
  if (was && is) return { type: 'MODIFIED', object };
  if (is) return { type: 'ADDED', object };
  return was ? { type: 'DELETED', object } : undefined;
}
