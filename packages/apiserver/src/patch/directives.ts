import { badRequest } from '@vireo/api';
import { isObject, type JsonObject, own, setOwn } from '@vireo/api/json.ts';

export const PATCH = '$patch';
export const RETAIN_KEYS = '$retainKeys';
export const ORDER = '$setElementOrder/';
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList/';

export type PatchDirective = 'merge' | 'replace' | 'delete';

/** Whether a key of a patch is an instruction and not a field. */
const isDirective = (key: string): boolean => key === PATCH || key === RETAIN_KEYS || fieldOf(key) !== undefined;

/** The list field that a `$setElementOrder/x` or `$deleteFromPrimitiveList/x` speaks of. */
export function fieldOf(key: string): string | undefined {
  if (key.startsWith(ORDER)) return key.slice(ORDER.length);
  if (key.startsWith(DELETE_FROM_LIST)) return key.slice(DELETE_FROM_LIST.length);
  return undefined;
}

export function patchDirective(patch: JsonObject): PatchDirective {
  const directive = own(patch, PATCH) ?? 'merge';
  if (directive === 'merge' || directive === 'replace' || directive === 'delete') return directive;
  throw badRequest(`unknown patch type: ${JSON.stringify(directive)} in map: ${excerpt(patch)}`);
}

/** The only fields that may stay; undefined where the patch does not limit them. */
export function retainKeysOf(patch: JsonObject): Set<unknown> | undefined {
  const list = own(patch, RETAIN_KEYS);
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw badRequest('invalid patch format of retainKeys');
  const retained = new Set<unknown>(list);
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null && !isDirective(key) && !retained.has(key)) {
      throw badRequest(`invalid patch format of retainKeys: field ${JSON.stringify(key)} is not in the list`);
    }
  }
  return retained;
}

/** A value of the patch as it enters the object where there was nothing to merge with. */
export function withoutDirectives<T>(value: T): T;
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value
      .filter((item) => !(isObject(item) && Object.hasOwn(item, PATCH)))
      .map((item) => withoutDirectives(item));
  }
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (!isDirective(key) && item !== null) setOwn(result, key, withoutDirectives(item));
  }
  return result;
}

/** A value in an error message, cut to a length that fits on a line. */
export function excerpt(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
