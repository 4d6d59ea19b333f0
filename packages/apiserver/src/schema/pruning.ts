import type { Schema } from '@vireo/api';
import { isObject, own } from '@vireo/api/json.ts';
import { join } from './path.ts';

/** Every object that is a resource has these, whatever its schema says. */
const RESOURCE_FIELDS = ['apiVersion', 'kind', 'metadata'];

/**
 * Drops what the schema does not know, in place, and returns the paths of what went, for warnings and strict
 * validation. `value` is a resource, so its apiVersion, kind and metadata always stay.
 */
export function pruneUnknownFields(value: unknown, schema: Schema): string[] {
  const dropped: string[] = [];
  prune(value, schema, '', true, dropped);
  return dropped;
}

function prune(value: unknown, schema: Schema, path: string, isResource: boolean, dropped: string[]): void {
  const keepsAll = keepsUnknown(schema);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return;
    // A list that keeps unknown fields keeps those of its items as well.
    const itemSchema = keepsAll ? { ...items, preserveUnknownFields: true } : items;
    for (const [i, item] of value.entries())
      prune(item, itemSchema, `${path}[${i}]`, items.embeddedResource === true, dropped);
    return;
  }
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    if (isResource && RESOURCE_FIELDS.includes(key)) continue;
    const child = (schema.properties && own(schema.properties, key)?.schema) ?? schema.values;
    if (child) {
      prune(value[key], child, join(path, key), child.embeddedResource === true, dropped);
    } else if (!keepsAll) {
      delete value[key];
      dropped.push(join(path, key));
    }
  }
}

/** A schema without a type takes any JSON value, so there is nothing that it does not know. */
const keepsUnknown = ({ preserveUnknownFields, type, properties, intOrString }: Schema): boolean =>
  preserveUnknownFields === true || (type === undefined && properties === undefined && !intOrString);
