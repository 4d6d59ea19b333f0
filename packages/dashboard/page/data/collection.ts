import type { FollowState } from '../decisions/connection.ts';
import { isEqual } from '../decisions/yaml/values.ts';
import type { Sink } from './follow.ts';
import { type KubeObject, keyOf } from './kinds.ts';

/** What a view sees of a collection. */
export interface Snapshot<Row> {
  readonly rows: readonly Row[];
  readonly state: FollowState;
}

/** At most ten times a second a view is drawn anew, however many events come. */
const BATCH_MS = 100;
/** While a long list is read, its first rows are shown at once and the others in larger steps: each step sorts them all. */
const READING_MS = 500;

/**
 * Rows of followed objects, for views that want to hear of changes. Most changes of an object are none of its row, such as
 * the heartbeats of a node: these are not told, so that nothing is drawn or counted again for them.
 */
export class Collection<T extends KubeObject, Row> implements Sink<T> {
  readonly #project: (object: T) => Row;
  readonly #rows = new Map<string, Row>();
  readonly #listeners = new Set<() => void>();
  #state: FollowState = { kind: 'loading' };
  #snapshot: Snapshot<Row> = { rows: [], state: this.#state };
  /** Whether the rows of the snapshot are not the last ones. */
  #isOld = false;
  #flushing: { readonly timer: ReturnType<typeof setTimeout>; readonly atMs: number } | undefined;

  constructor(project: (object: T) => Row) {
    this.#project = project;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): Snapshot<Row> => this.#snapshot;

  /** `namespace/name` of each object. */
  readonly keys = (): readonly string[] => [...this.#rows.keys()];

  put(item: T): void {
    const key = keyOf(item);
    const row = this.#project(item);
    if (this.#rows.has(key) && isEqual(this.#rows.get(key), row)) return;
    this.#rows.set(key, row);
    this.#rowsChanged();
  }

  remove(key: string): void {
    if (this.#rows.delete(key)) this.#rowsChanged();
  }

  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#rows.keys()) if (!keys.has(key)) this.remove(key);
  }

  state(state: FollowState): void {
    this.#state = state;
    this.#tellSoon();
  }

  #rowsChanged(): void {
    this.#isOld = true;
    this.#tellSoon();
  }

  #tellSoon(): void {
    const isReading = this.#state.kind === 'loading' && this.#snapshot.rows.length > 0;
    const atMs = Date.now() + (isReading ? READING_MS : BATCH_MS);
    if (this.#flushing && this.#flushing.atMs <= atMs) return;
    clearTimeout(this.#flushing?.timer);
    this.#flushing = { timer: setTimeout(() => this.#tell(), atMs - Date.now()), atMs };
  }

  #tell(): void {
    this.#flushing = undefined;
    const rows = this.#isOld ? [...this.#rows.values()] : this.#snapshot.rows;
    this.#isOld = false;
    this.#snapshot = { rows, state: this.#state };
    for (const listener of this.#listeners) listener();
  }
}
