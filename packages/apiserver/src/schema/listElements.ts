import type { Schema } from '@vireo/api';
import { isObject, type JsonObject, own } from '@vireo/api/json.ts';

/** Finds the element of a list of maps that has the same keys as another; undefined where elements have none. */
export function elementsByKeys(
  list: unknown,
  { listType, listMapKeys = [] }: Pick<Schema, 'listType' | 'listMapKeys'>,
): ((element: unknown) => unknown) | undefined {
  if (listType !== 'map' || !Array.isArray(list)) return undefined;
  const known = new Map(list.filter(isObject).map((element) => [canonical(keysOf(element, listMapKeys)), element]));
  return (element) => (isObject(element) ? known.get(canonical(keysOf(element, listMapKeys))) : undefined);
}

/** What tells the element of a list of maps from others: those of its keys that it has. */
export const keysOf = (element: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(element, name)).map((name) => [name, own(element, name)]));

/** JSON with sorted keys: equal values have equal texts. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
