import { endOfPrefix, isExactKey, resourceOf, resourceOfKey } from './keys.ts';
import type { Stored } from './store.ts';

/**
 * The newest version of every object: by key, and per resource in key order, so that a list costs what it returns.
 * A sorted array per resource is enough: inserting moves pointers, microseconds even among 100,000.
 */
export class Keyspace {
  readonly #byKey = new Map<string, Stored>();
  readonly #byResource = new Map<string, Stored[]>();

  get(key: string): Stored | undefined {
    return this.#byKey.get(key);
  }

  put(stored: Stored): void {
    const sorted = this.#sorted(stored.key);
    this.#byKey.set(stored.key, stored);
    const last = sorted.at(-1);
    if (last === undefined || last.key < stored.key) {
      sorted.push(stored);
      return;
    }
    const at = firstAtOrAfter(sorted, stored.key);
    sorted.splice(at, sorted[at]!.key === stored.key ? 1 : 0, stored);
  }

  remove(key: string): void {
    if (!this.#byKey.delete(key)) return;
    const sorted = this.#sorted(key);
    sorted.splice(firstAtOrAfter(sorted, key), 1);
  }

  list(prefix: string, startAfter: string | undefined, limit: number): Stored[] {
    if (isExactKey(prefix)) {
      const one = this.#byKey.get(prefix);
      return one !== undefined && limit > 0 && !(startAfter !== undefined && prefix <= startAfter) ? [one] : [];
    }
    const found: Stored[] = [];
    for (const sorted of this.#below(prefix)) {
      let [from, to] = range(sorted, prefix);
      if (startAfter !== undefined) from = Math.max(from, firstAfter(sorted, startAfter));
      to = Math.min(to, from + limit - found.length);
      for (let i = from; i < to; i++) found.push(sorted[i]!);
      if (found.length >= limit) break;
    }
    return found;
  }

  count(prefix: string): number {
    if (isExactKey(prefix)) return this.#byKey.has(prefix) ? 1 : 0;
    let count = 0;
    for (const sorted of this.#below(prefix)) {
      const [from, to] = range(sorted, prefix);
      count += to - from;
    }
    return count;
  }

  /** The arrays that may hold keys below `prefix`, in key order. */
  #below(prefix: string): Stored[][] {
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

  #sorted(key: string): Stored[] {
    const resource = resourceOfKey(key);
    const known = this.#byResource.get(resource);
    if (known !== undefined) return known;
    const sorted: Stored[] = [];
    this.#byResource.set(resource, sorted);
    return sorted;
  }
}

function range(sorted: Stored[], prefix: string): [from: number, to: number] {
  if (prefix === '') return [0, sorted.length];
  return [firstAtOrAfter(sorted, prefix), firstAtOrAfter(sorted, endOfPrefix(prefix))];
}

const firstAtOrAfter = (sorted: Stored[], key: string): number => search(sorted, (other) => other < key);
const firstAfter = (sorted: Stored[], key: string): number => search(sorted, (other) => other <= key);

/** The index of the first key that is not `before`. */
function search(sorted: Stored[], before: (key: string) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(sorted[middle]!.key)) low = middle + 1;
    else high = middle;
  }
  return low;
}
