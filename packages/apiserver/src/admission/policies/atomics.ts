import type { Schema } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { namedField, type Place, structureOf } from '../../managedFields/structure.ts';

/**
 * The paths of atomic lists and maps in a configuration. A policy must not set them: whatever it does not mention would
 * be gone.
 */
export const atomicPaths = (config: unknown, schema: Schema): string[] => [...find(config, { schema }, '')];

function* find(value: unknown, place: Place, path: string): Iterable<string> {
  const structure = structureOf(place, value);
  if (isObject(value)) {
    if (structure.type === 'atomic') yield path;
    const { schema } = place;
    for (const [key, item] of Object.entries(value)) {
      // Keys of maps that are no fields are not looked into, as in Kubernetes.
      const property = namedField(schema, key);
      if (property) yield* find(item, { schema: property.schema, property }, `${path}.${key}`);
    }
  }
  if (Array.isArray(value)) {
    if (structure.type === 'atomic') yield path;
    const items = place.schema?.items;
    for (const [index, item] of value.entries()) if (items) yield* find(item, { schema: items }, `${path}[${index}]`);
  }
}
