import { isDeepStrictEqual } from 'node:util';
import { type FieldError, field } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';

/** Whether two values are the same to the API: a missing field, null, {} and [] all mean "not set". */
export const sameValue = (a: unknown, b: unknown): boolean => isDeepStrictEqual(withoutEmpty(a), withoutEmpty(b));

/** Reports a field that may not change once the object is there. */
export const immutable = (path: string, value: unknown, old: unknown, detail = 'field is immutable'): FieldError[] =>
  sameValue(value, old) ? [] : [field.invalid(path, value ?? null, detail)];

/** Where `value` differs from `old`, one `path: old -> new` a line, for messages that list what was not allowed. */
export function differences(path: string, value: unknown, old: unknown): string[] {
  if (sameValue(value, old)) return [];
  if (isObject(value) && isObject(old)) {
    const keys = [...new Set([...Object.keys(old), ...Object.keys(value)])];
    return keys.flatMap((key) => differences(`${path}.${key}`, value[key], old[key]));
  }
  if (Array.isArray(value) && Array.isArray(old) && value.length === old.length) {
    return value.flatMap((item, index) => differences(`${path}[${index}]`, item, old[index]));
  }
  return [`${path}: ${JSON.stringify(old) ?? 'not set'} -> ${JSON.stringify(value) ?? 'not set'}`];
}

function withoutEmpty(value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .map(([key, item]) => [key, withoutEmpty(item)] as const)
    .filter(([, item]) => item !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/**
 * Takes parts of a draft back to what they were. The old parts are shared, not copied: they are frozen, and drafts are
 * only ever given new parts.
 */
export function restore<T extends object>(draft: T, old: T, ...parts: (keyof T)[]): void {
  for (const part of parts) {
    if (old[part] === undefined) delete draft[part];
    else draft[part] = old[part];
  }
}
