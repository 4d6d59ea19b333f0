import type { KubeObject } from '@vireo/api';
import { keyOf } from './resource.ts';

/** How the cache changed. `finalStateUnknown`: the deletion was not seen, `object` is the last version known. */
export type Change<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'updated'; readonly old: T; readonly object: T }
  | { readonly type: 'deleted'; readonly object: T; readonly finalStateUnknown: boolean };

export type IndexFunction<T> = (object: T) => readonly string[];

/** An informer's picture of the server: objects by key and by the values of indexes. Every write says what it changed. */
export class ObjectCache<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, { values: IndexFunction<T>; keys: Map<string, Set<string>> }>();

  /** Adds an index over what is there and what comes. The same index may be added twice, a different one may not. */
  addIndex(name: string, values: IndexFunction<T>): void {
    const existing = this.#indexes.get(name);
    if (existing?.values === values) return;
    if (existing) throw new Error(`an index named "${name}" already exists with another function`);
    const index = { values, keys: new Map<string, Set<string>>() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) enter(index.keys, values(object), key);
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (!index)
      throw new Error(
        `there is no index named "${name}"; the indexes are: ${[...this.#indexes.keys()].join(', ') || 'none'}`,
      );
    return [...(index.keys.get(value) ?? [])].map((key) => this.#objects.get(key)!);
  }

  set(object: T): Change<T>[] {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (old && isSameVersion(old, object)) return [];
    this.#store(key, old, object);
    if (!old) return [{ type: 'added', object }];
    if (old.metadata.uid === object.metadata.uid) return [{ type: 'updated', old, object }];
    // Another object of the same name: the end of the first one was missed.
    return [
      { type: 'deleted', object: old, finalStateUnknown: true },
      { type: 'added', object },
    ];
  }

  /** `last` is the version that the deletion reported. */
  delete(last: T): Change<T>[] {
    const key = keyOf(last);
    const old = this.#objects.get(key);
    if (!old) return [];
    this.#store(key, old, undefined);
    return [{ type: 'deleted', object: last, finalStateUnknown: false }];
  }

  /** Makes the cache hold exactly `objects`. What has gone meanwhile is reported as deleted. */
  replace(objects: readonly T[]): Change<T>[] {
    const present = new Set(objects.map(keyOf));
    const changes: Change<T>[] = [];
    for (const [key, old] of [...this.#objects]) {
      if (present.has(key)) continue;
      this.#store(key, old, undefined);
      changes.push({ type: 'deleted', object: old, finalStateUnknown: true });
    }
    for (const object of objects) changes.push(...this.set(object));
    return changes;
  }

  #store(key: string, old: T | undefined, object: T | undefined): void {
    for (const { values, keys } of this.#indexes.values()) {
      if (old) leave(keys, values(old), key);
      if (object) enter(keys, values(object), key);
    }
    if (object) this.#objects.set(key, object);
    else this.#objects.delete(key);
  }
}

const isSameVersion = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.uid === b.metadata.uid &&
  a.metadata.resourceVersion !== undefined &&
  a.metadata.resourceVersion === b.metadata.resourceVersion;

function enter(keys: Map<string, Set<string>>, values: readonly string[], key: string): void {
  for (const value of values) {
    const entry = keys.get(value);
    if (entry) entry.add(key);
    else keys.set(value, new Set([key]));
  }
}

function leave(keys: Map<string, Set<string>>, values: readonly string[], key: string): void {
  for (const value of values) {
    const entry = keys.get(value);
    entry?.delete(key);
    if (entry?.size === 0) keys.delete(value);
  }
}
