import type { Property, Schema } from '@vireo/api';
import { deepClone, isObject, own, setOwn } from '@vireo/api/json.ts';

/**
 * Fills in the defaults of the schema, in place. A null counts as missing where the field is not nullable: it is
 * replaced by the default, or dropped where there is none. Applying it twice changes nothing more.
 */
export function applySchemaDefaults(value: unknown, schema: Schema): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) applySchemaDefaults(item, schema.items);
  } else if (isObject(value)) {
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      if (property.default !== undefined && isMissing(value, key, property.schema)) {
        setOwn(value, key, deepClone(property.default));
      }
    }
    for (const key of Object.keys(value)) {
      const child = propertyOf(schema, key)?.schema ?? schema.values;
      if (!child) continue;
      if (value[key] === null && !acceptsNull(child)) delete value[key];
      else applySchemaDefaults(value[key], child);
    }
  }
}

const isMissing = (object: Record<string, unknown>, key: string, schema: Schema): boolean =>
  !Object.hasOwn(object, key) || (object[key] === null && !acceptsNull(schema));

/** A schema that says nothing of the type takes any JSON value, null included. */
const acceptsNull = (schema: Schema): boolean =>
  schema.nullable === true || (schema.type === undefined && !schema.intOrString);

const propertyOf = (schema: Schema, key: string): Property | undefined =>
  schema.properties && own(schema.properties, key);
