import { deepEqual, isObject, own } from '@vireo/api/json.ts';

export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** The JSON patch that makes `after` of `before`. Lists of another length are replaced whole. */
export function jsonPatch(before: unknown, after: unknown, path = ''): PatchOperation[] {
  if (before === after) return [];
  if (isObject(before) && isObject(after)) {
    const removed = Object.keys(before)
      .filter((key) => own(after, key) === undefined)
      .map((key): PatchOperation => ({ op: 'remove', path: at(path, key) }));
    const changed = Object.keys(after)
      .filter((key) => own(after, key) !== undefined)
      .flatMap((key): PatchOperation[] =>
        Object.hasOwn(before, key)
          ? jsonPatch(before[key], after[key], at(path, key))
          : [{ op: 'add', path: at(path, key), value: after[key] }],
      );
    return [...removed, ...changed];
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item, index) => jsonPatch(item, after[index], at(path, String(index))));
  return deepEqual(before, after) ? [] : [{ op: 'replace', path, value: after }];
}

const at = (path: string, key: string): string => `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
