import { endOfPrefix, isExactKey, resourceOf, resourceOfKey } from './keys.ts';
import { SortedVersions } from './sortedVersions.ts';
import type { Stored } from './store.ts';

/** The newest version of every object: by key, and per resource in key order, so that a list costs what it returns. */
export class Keyspace {
  readonly #byKey = new Map<string, Stored>();
  readonly #byResource = new Map<string, SortedVersions>();

  get(key: string): Stored | undefined {
    return this.#byKey.get(key);
  }

  put(stored: Stored): void {
    this.#versionsBelow(stored.key).put(stored);
    this.#byKey.set(stored.key, stored);
  }

  remove(key: string): void {
    if (this.#byKey.delete(key)) this.#versionsBelow(key).remove(key);
  }

  list(prefix: string, startAfter: string | undefined, limit: number): Stored[] {
    if (isExactKey(prefix)) {
      const one = this.#byKey.get(prefix);
      return one !== undefined && limit > 0 && !(startAfter !== undefined && prefix <= startAfter) ? [one] : [];
    }
    // No key lies between one and the same with a zero behind it.
    const from = startAfter !== undefined && startAfter >= prefix ? `${startAfter}\0` : prefix;
    const found: Stored[] = [];
    for (const sorted of this.#below(prefix)) sorted.collect(from, endOf(prefix), found, limit);
    return found;
  }

  count(prefix: string): number {
    if (isExactKey(prefix)) return this.#byKey.has(prefix) ? 1 : 0;
    let count = 0;
    for (const sorted of this.#below(prefix)) count += sorted.count(prefix, endOf(prefix));
    return count;
  }

  /** What may hold keys below `prefix`, in key order. */
  #below(prefix: string): SortedVersions[] {
    const resource = resourceOf(prefix);
    if (resource !== undefined) {
      const one = this.#byResource.get(resource);
      return one === undefined ? [] : [one];
    }
    return [...this.#byResource]
      .filter(([name]) => name.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, sorted]) => sorted);
  }

  #versionsBelow(key: string): SortedVersions {
    const resource = resourceOfKey(key);
    const known = this.#byResource.get(resource);
    if (known !== undefined) return known;
    const sorted = new SortedVersions();
    this.#byResource.set(resource, sorted);
    return sorted;
  }
}

const endOf = (prefix: string): string | undefined => (prefix === '' ? undefined : endOfPrefix(prefix));
