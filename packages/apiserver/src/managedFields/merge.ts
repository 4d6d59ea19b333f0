/** Merges an applied configuration into an object, by the schema's idea of maps and lists. */
import type { Schema } from '@vireo/api';
import { isObject, type JsonObject, own, setOwn } from '@vireo/api/json.ts';
import { itemElements, type ListStructure, type Place, placeOfKey, structureOf } from './structure.ts';

/** The object with what the configuration says. Shares with both; changes neither. */
export const merge = (live: unknown, config: unknown, schema: Schema): unknown => mergeValues(live, config, { schema });

function mergeValues(live: unknown, config: unknown, place: Place): unknown {
  if (config === undefined) return live;
  const structure = structureOf(place, config);
  // Null, and a map or list without anything in it, leave what is there.
  if (structure.type === 'map' && isObject(live) && Object.keys(live).length > 0) {
    if (config === null) return live;
    if (isObject(config)) return mergeMaps(live, config, structure.place);
  }
  if (structure.type === 'list' && Array.isArray(live) && live.length > 0) {
    if (config === null) return live;
    if (Array.isArray(config)) return mergeLists(live, config, structure);
  }
  return config;
}

function mergeMaps(live: JsonObject, config: JsonObject, place: Place): JsonObject {
  const result: JsonObject = {};
  for (const key of new Set([...Object.keys(live), ...Object.keys(config)])) {
    const value = mergeValues(own(live, key), own(config, key), placeOfKey(place, key) ?? {});
    if (value !== undefined) setOwn(result, key, value);
  }
  return result;
}

/**
 * Items in both lists come in the configuration's order; items that only the object has keep their place among their
 * neighbours. An item that the object has twice is replaced by the configuration's one.
 */
function mergeLists(live: readonly unknown[], config: readonly unknown[], structure: ListStructure): unknown[] {
  const [liveElements, wanted] = [itemElements(live, structure), itemElements(config, structure)];
  const configItems = new Map(wanted.map((element, i) => [element, config[i]]));
  const liveItems = onlyOnce(live, liveElements);
  const shared = wanted.filter((element) => liveItems.has(element));
  const merged = new Set<string>();
  const result: unknown[] = [];
  for (let at = 0, next = 0; at < live.length || next < wanted.length; ) {
    const [here, element] = [liveElements[at], wanted[next]];
    if (here !== undefined && here !== element) {
      if (!configItems.has(here)) {
        result.push(live[at++]);
        continue;
      }
      // The configuration has it elsewhere: it waits for its turn, or has had it.
      if (element !== undefined && shared.length > 0 && shared[0] !== here) {
        at++;
        continue;
      }
      if (merged.has(here)) at++;
    }
    if (element === undefined) continue;
    if (here === element) at++;
    next++;
    merged.add(element);
    if (here === element || shared[0] === element) shared.shift();
    result.push(mergeValues(liveItems.get(element), configItems.get(element), structure.items));
  }
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
