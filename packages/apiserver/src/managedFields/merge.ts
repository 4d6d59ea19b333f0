/** Merges an applied configuration into an object, by the schema's idea of maps and lists. */
import type { Schema } from '@vireo/api';
import { isObject, type JsonObject, own, setOwn } from '@vireo/api/json.ts';
import { itemElements, type Place, placeOfKey, type Structure, structureOf } from './structure.ts';

/** The object with what the configuration says. Shares with both; changes neither. */
export const merge = (live: unknown, config: unknown, schema: Schema): unknown => mergeValues(live, config, { schema });

function mergeValues(live: unknown, config: unknown, place: Place): unknown {
  if (config === undefined) return live;
  const structure = structureOf(place, config);
  // Null, and a map or list without anything in it, leave what is there.
  if (structure.type === 'map' && isObject(live) && Object.keys(live).length > 0) {
    if (config === null) return live;
    if (isObject(config)) return mergeMaps(live, config, structure.schema);
  }
  if (structure.type === 'list' && Array.isArray(live) && live.length > 0) {
    if (config === null) return live;
    if (Array.isArray(config)) return mergeLists(live, config, structure);
  }
  return config;
}

function mergeMaps(live: JsonObject, config: JsonObject, schema: Schema | undefined): JsonObject {
  const result: JsonObject = {};
  for (const key of new Set([...Object.keys(live), ...Object.keys(config)])) {
    const value = mergeValues(own(live, key), own(config, key), placeOfKey(schema, key) ?? {});
    if (value !== undefined) setOwn(result, key, value);
  }
  return result;
}

/**
 * Items in both lists come in the configuration's order; items that only the object has keep their place among their
 * neighbours. An item that the object has twice is replaced by the configuration's one.
 */
function mergeLists(
  live: readonly unknown[],
  config: readonly unknown[],
  { items, keys }: Extract<Structure, { type: 'list' }>,
): unknown[] {
  const [liveElements, wanted] = [itemElements(live, items, keys), itemElements(config, items, keys)];
  const configItems = new Map(wanted.map((element, i) => [element, config[i]]));
  const liveItems = onlyOnce(live, liveElements);
  const shared = wanted.filter((element) => liveItems.has(element));
  const merged = new Set<string>();
  const result: unknown[] = [];
  let at = 0;
  for (const element of wanted) {
    // Before the next item of the configuration come those that stand before it in the object.
    while (at < live.length && liveElements[at] !== element) {
      const here = liveElements[at] as string;
      if (!configItems.has(here)) result.push(live[at]);
      else if (shared[0] === here) break;
      at++;
      if (merged.has(here) && shared.length === 0) break;
    }
    if (liveElements[at] === element) at++;
    merged.add(element);
    if (shared[0] === element) shared.shift();
    result.push(mergeValues(liveItems.get(element), configItems.get(element), { schema: items }));
  }
  for (; at < live.length; at++) if (!configItems.has(liveElements[at] as string)) result.push(live[at]);
  return result;
}

/** The items by their element, without those that occur twice. */
function onlyOnce(list: readonly unknown[], elements: readonly string[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  elements.forEach((element, i) => {
    found.set(element, found.has(element) ? undefined : list[i]);
  });
  return found;
}
