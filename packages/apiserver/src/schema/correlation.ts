import type { Schema } from '@vireo/api';
import { deepEqual, isObject, own } from '@vireo/api/json.ts';
import { elementsByKeys } from './listElements.ts';

/** Whether a value is what it was before. The order of lists whose elements have keys does not count. */
export function isUnchanged(value: unknown, old: unknown, schema: Schema): boolean {
  if (deepEqual(value, old)) return true;
  if (Array.isArray(value) && Array.isArray(old)) {
    const before = value.length === old.length ? elementsByKeys(old, schema) : undefined;
    return before !== undefined && value.every((element) => isUnchanged(element, before(element), schema.items ?? {}));
  }
  if (!isObject(value) || !isObject(old)) return false;
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old).length) return false;
  return keys.every((key) => {
    const child = (schema.properties && own(schema.properties, key)?.schema) ?? schema.values ?? {};
    return Object.hasOwn(old, key) && isUnchanged(value[key], old[key], child);
  });
}
