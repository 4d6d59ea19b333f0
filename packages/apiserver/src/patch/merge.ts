import { badRequest } from '@vireo/api';
import { deepClone, isObject, type JsonObject, setOwn } from '@vireo/api/json.ts';
import { notAMap } from '../schema/goNames.ts';

/** Applies an RFC 7386 patch to an object; neither argument is changed and the result shares nothing with them. */
export function applyMergePatch(current: unknown, patch: unknown): unknown {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isObject(patch)) throw badRequest(`error decoding patch: ${notAMap(patch)}`);
  return merge(current, patch);
}

function merge(current: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return isObject(current) ? deepClone(patch) : withoutNulls(patch);
  const target = isObject(current) ? current : {};
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(target)) {
    if (!Object.hasOwn(patch, key)) setOwn(result, key, deepClone(value));
    else if (patch[key] !== null) setOwn(result, key, merge(value, patch[key]));
  }
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null && !Object.hasOwn(target, key)) setOwn(result, key, merge(undefined, value));
  }
  return result;
}

/** Kubernetes drops the nulls inside of lists, too, unless the list takes the place of an object. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  return isObject(value) ? merge(undefined, value) : value;
}
