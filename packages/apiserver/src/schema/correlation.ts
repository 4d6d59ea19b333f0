import type { Schema } from '@vireo/api';
import { deepEqual, isObject, own } from '@vireo/api/json.ts';
import { elementsByKeys } from './listElements.ts';

/**
 * Whether a value is what it was before, in the sense in which Kubernetes forgives what is wrong with it. The order of
 * lists whose elements have keys does not count. An object with fields that the schema does not know is never the same.
 */
export function isUnchanged(value: unknown, old: unknown, schema: Schema): boolean {
  if (Array.isArray(value) && Array.isArray(old)) {
    if (value.length !== old.length) return false;
    const { items } = schema;
    const before = items && elementsByKeys(old, schema);
    return before ? value.every((element) => isUnchanged(element, before(element), items)) : deepEqual(value, old);
  }
  if (!isObject(value) || !isObject(old)) return deepEqual(value, old);
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old).length) return false;
  return keys.every((key) => {
    const child = (schema.properties && own(schema.properties, key)?.schema) ?? schema.values;
    const isKnown = child !== undefined && Object.keys(child).length > 0;
    return isKnown && Object.hasOwn(old, key) && isUnchanged(value[key], old[key], child);
  });
}
