import type { Schema } from '@vireo/api';
import { isObject, own } from '@vireo/api/json.ts';
import { join } from './path.ts';

/** Every object that is a resource has these, whatever its schema says. */
const RESOURCE_FIELDS = ['apiVersion', 'kind', 'metadata'];

/**
 * Drops what the schema does not know, in place, and returns the paths of what went, for warnings and strict
 * validation. Of a resource, apiVersion, kind and metadata always stay.
 */
export function pruneUnknownFields(value: unknown, schema: Schema, isResource = true): string[] {
  const dropped: string[] = [];
  prune(value, schema, '', isResource, dropped);
  return dropped;
}

/** @param schema undefined: nothing is known of the value */
function prune(
  value: unknown,
  schema: Schema | undefined,
  path: string,
  isResource: boolean,
  dropped: string[],
  keepsAll = schema?.preserveUnknownFields === true,
): void {
  if (Array.isArray(value)) {
    const items = schema && declared(schema.items);
    // A list that keeps unknown fields keeps those of its items as well.
    if (keepsAll && !items) return;
    for (const [i, item] of value.entries())
      prune(item, items, `${path}[${i}]`, items?.embeddedResource === true, dropped, keepsAll || undefined);
    return;
  }
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    if (isResource && RESOURCE_FIELDS.includes(key)) continue;
    const child = declared(schema?.properties && own(schema.properties, key)?.schema);
    if (child || schema?.values) {
      const of = child ?? declared(schema?.values);
      prune(value[key], of, join(path, key), of?.embeddedResource === true, dropped);
    } else if (!keepsAll) {
      delete value[key];
      dropped.push(join(path, key));
    }
  }
}

/** A field that is only named among the required ones, or a map of anything, says nothing of the value. */
function declared(schema: Schema | undefined): Schema | undefined {
  for (const _ in schema) return schema;
  return undefined;
}
