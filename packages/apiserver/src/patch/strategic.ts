/**
 * Strategic merge patch: a merge patch in which the schema says which lists are merged, and by which key, instead of
 * replaced. Directives in the patch (`$patch`, `$retainKeys`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…`) say
 * what a plain value cannot.
 */
import { badRequest, type Schema } from '@vireo/api';
import { deepClone, isObject, type JsonObject, own, setOwn } from '@vireo/api/json.ts';
import { notAMap } from '../schema/goNames.ts';
import {
  DELETE_FROM_LIST,
  fieldOf,
  ORDER,
  PATCH,
  patchDirective,
  RETAIN_KEYS,
  retainKeysOf,
  withoutDirectives,
} from './directives.ts';
import { type ListRules, mergeElements, orderElements, removeElements } from './mergeList.ts';

/** Applies the patch; neither argument is changed and the result shares nothing with them. */
export function applyStrategicMergePatch(current: unknown, patch: unknown, schema: Schema): unknown {
  if (!isObject(patch)) throw badRequest(notAMap(patch));
  return deepClone(mergeObject(isObject(current) ? current : {}, patch, schema));
}

/** One object: the patch's fields over the current ones. What does not change is shared with the arguments. */
function mergeObject(current: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  const directive = patchDirective(patch);
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive === 'delete') return {};
  const retained = retainKeysOf(patch);
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(current)) {
    if (!retained || retained.has(key)) setOwn(result, key, value);
  }
  for (const key of fieldsOf(patch)) {
    const merged = mergeField(own(result, key), key, patch, schema);
    if (merged === undefined) delete result[key];
    else setOwn(result, key, merged);
  }
  return result;
}

/** The fields that a patch speaks of, also those it mentions only in a directive. */
function fieldsOf(patch: JsonObject): Set<string> {
  const keys = Object.keys(patch).filter((key) => key !== PATCH && key !== RETAIN_KEYS);
  return new Set(keys.map((key) => fieldOf(key) ?? key));
}

/** The new value of a field; undefined where it is to go. */
function mergeField(current: unknown, key: string, patch: JsonObject, schema: Schema | undefined): unknown {
  const property = schema?.properties && own(schema.properties, key);
  const fieldSchema = property?.schema ?? schema?.values;
  const strategies = property?.patchStrategy?.split(',') ?? [];
  const named = Object.hasOwn(patch, key);
  const value = patch[key];
  if (named && value === null) return undefined;
  if (named && isObject(value)) {
    const base = isObject(current) && !strategies.includes('replace') ? current : {};
    return mergeObject(base, value, fieldSchema);
  }
  if (named && !Array.isArray(value)) return value;

  const remove = listDirective(patch, `${DELETE_FROM_LIST}${key}`);
  const order = listDirective(patch, `${ORDER}${key}`);
  const list = Array.isArray(current) ? current : [];
  if (named && !strategies.includes('merge')) return withoutDirectives(value);
  if (!named && !Array.isArray(current)) return current;
  const kept = remove ? removeElements(list, remove) : list;
  const rules: ListRules = {
    field: key,
    mergeKey: property?.patchMergeKey,
    mergeItem: (before, item) => mergeObject(before, item, fieldSchema?.items),
  };
  const merged = named ? mergeElements(kept, value as unknown[], rules) : kept;
  return order ? orderElements(merged, list, (value as unknown[] | undefined) ?? [], order, rules) : merged;
}

function listDirective(patch: JsonObject, key: string): unknown[] | undefined {
  const value = own(patch, key);
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value;
  throw badRequest(
    key.startsWith(ORDER) ? 'invalid patch format of setElementOrder list' : 'invalid patch format of primitive list',
  );
}
