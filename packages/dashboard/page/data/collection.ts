import type { FollowState } from '../decisions/connection.ts';
import type { Sink } from './follow.ts';
import { type KubeObject, keyOf } from './kinds.ts';

/** What a view sees of a collection. */
export interface Snapshot<Row> {
  readonly rows: readonly Row[];
  readonly state: FollowState;
}

/** At most ten times a second a view is drawn anew, however many events come. */
const BATCH_MS = 100;

/** Rows of followed objects, for views that want to hear of changes. */
export class Collection<T extends KubeObject, Row> implements Sink<T> {
  readonly #project: (object: T) => Row;
  readonly #rows = new Map<string, Row>();
  readonly #listeners = new Set<() => void>();
  #state: FollowState = { kind: 'loading' };
  #snapshot: Snapshot<Row> = { rows: [], state: this.#state };
  #flushing: ReturnType<typeof setTimeout> | undefined;

  constructor(project: (object: T) => Row) {
    this.#project = project;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): Snapshot<Row> => this.#snapshot;

  put(item: T): void {
    this.#rows.set(keyOf(item), this.#project(item));
    this.#changed();
  }

  remove(key: string): void {
    this.#rows.delete(key);
    this.#changed();
  }

  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#rows.keys()) if (!keys.has(key)) this.#rows.delete(key);
    this.#changed();
  }

  state(state: FollowState): void {
    this.#state = state;
    this.#changed();
  }

  #changed(): void {
    this.#flushing ??= setTimeout(() => {
      this.#flushing = undefined;
      this.#snapshot = { rows: [...this.#rows.values()], state: this.#state };
      for (const listener of this.#listeners) listener();
    }, BATCH_MS);
  }
}
