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
    for (const [key, property] of propertiesWithDefaults(schema)) {
      if (isMissing(value, key, property.schema)) setOwn(value, key, deepClone(property.default));
    }
    for (const key of Object.keys(value)) {
      const child = propertyOf(schema, key)?.schema ?? schema.values;
      if (!child) continue;
      if (value[key] === null && !acceptsNull(child)) delete value[key];
      else applySchemaDefaults(value[key], child);
    }
  }
}

const NONE: readonly [string, Property][] = [];
const known = new WeakMap<Schema, readonly [string, Property][]>();

/** The properties that have a default, which are few; looked up once for each schema. */
function propertiesWithDefaults(schema: Schema): readonly [string, Property][] {
  if (!schema.properties) return NONE;
  let properties = known.get(schema);
  if (!properties) {
    properties = Object.entries(schema.properties).filter(([, property]) => property.default !== undefined);
    known.set(schema, properties);
  }
  return properties;
}

const isMissing = (object: Record<string, unknown>, key: string, schema: Schema): boolean =>
  !Object.hasOwn(object, key) || (object[key] === null && !acceptsNull(schema));

/** A schema that says nothing of the type takes any JSON value, null included. */
const acceptsNull = (schema: Schema): boolean =>
  schema.nullable === true || (schema.type === undefined && !schema.intOrString);

const propertyOf = (schema: Schema, key: string): Property | undefined =>
  schema.properties && own(schema.properties, key);
