/**
 * Work on plain JSON values. Keys come from clients, so they may be `__proto__` or `constructor`: read them with `own`
 * and write them with `setOwn`.
 */
export type JsonObject = Record<string, unknown>;

export { closingQuote, type JsonScan, type KeyListener, scanJson } from './scanJson.ts';

/**
 * How deep a value may nest. Go's decoder allows 10 000 levels; V8's own `JSON.stringify` overflows the stack before
 * that, so bodies are held to less, and plain recursion is safe on everything that passed.
 */
export const MAX_DEPTH = 1000;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of an own key; never something inherited from `Object.prototype`. */
export const own = <T>(object: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Sets an own key, also where its name is `__proto__`. */
export function setOwn(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** Equality of JSON values; the order of keys does not matter. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => deepEqual(item, b[i]));
  }
  if (Array.isArray(b)) return false;
  const left = a as JsonObject;
  const right = b as JsonObject;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && deepEqual(left[key], right[key]))
  );
}

/** A copy that shares nothing with the value. Fields that are undefined are left out, as JSON would. */
export function deepClone<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(deepClone) as T;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const item = (value as JsonObject)[key];
    if (item !== undefined) setOwn(copy, key, deepClone(item));
  }
  return copy as T;
}

/** Freezes the value and everything in it. What is frozen already is taken as frozen to the bottom. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
  return value;
}

/** Whether objects and lists nest deeper than `limit` levels. Safe on any depth. */
export function exceedsDepth(value: unknown, limit: number = MAX_DEPTH): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      if (depth >= limit) return true;
      for (const child of Object.values(item)) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return false;
}

/** A copy in which the keys of every object are sorted, as Go writes maps. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value).sort()) setOwn(result, key, sortedKeys(value[key]));
  return result;
}
