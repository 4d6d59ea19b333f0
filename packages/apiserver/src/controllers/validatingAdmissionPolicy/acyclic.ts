import type { Property, Schema } from '@vireo/api';

const known = new WeakMap<Schema, Schema>();

/** A schema without itself inside: where it would begin again, any value can be. */
export function acyclic(schema: Schema): Schema {
  const found = known.get(schema) ?? cut(schema, new Set());
  known.set(schema, found);
  return found;
}

function cut(schema: Schema, around: ReadonlySet<string>): Schema {
  if (schema.name !== undefined && around.has(schema.name)) return {};
  const inside = schema.name === undefined ? around : new Set([...around, schema.name]);
  return {
    ...schema,
    ...(schema.items && { items: cut(schema.items, inside) }),
    ...(schema.values && { values: cut(schema.values, inside) }),
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, property]): [string, Property] => [
          name,
          { ...property, schema: cut(property.schema, inside) },
        ]),
      ),
    }),
  };
}
