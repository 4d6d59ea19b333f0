import { type Property, type Schema, tooLarge } from '@vireo/api';
import { deepClone, isObject, own, setOwn } from '@vireo/api/json.ts';

/** What defaults may add to an object. A few bytes of defaults for each of a million items would be more than memory. */
const MAX_BYTES = 3 * 1024 * 1024;

/**
 * Fills in the defaults of the schema, in place. A null counts as missing where the field is not nullable: it is
 * replaced by the default, or dropped where there is none. Applying it twice changes nothing more. Throws a 413 where
 * they would add more than 3 MiB.
 */
export function applySchemaDefaults(value: unknown, schema: Schema): void {
  if (!defaultsFit(value, schema)) throw tooLarge(MAX_BYTES);
}

/** The same, but false where they would add too much: then some are filled in and others not. */
export const defaultsFit = (value: unknown, schema: Schema): boolean => {
  const room = { bytes: MAX_BYTES };
  fill(value, schema, room);
  return room.bytes >= 0;
};

function fill(value: unknown, schema: Schema, room: { bytes: number }): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) fill(item, schema.items, room);
  } else if (isObject(value)) {
    for (const [key, property, bytes] of propertiesWithDefaults(schema)) {
      if (!isMissing(value, key, property.schema)) continue;
      room.bytes -= bytes;
      if (room.bytes < 0) return;
      setOwn(value, key, deepClone(property.default));
    }
    for (const key of Object.keys(value)) {
      const child = propertyOf(schema, key)?.schema ?? schema.values;
      if (!child) continue;
      if (value[key] === null && !acceptsNull(child)) delete value[key];
      else fill(value[key], child, room);
    }
  }
}

/** A property that has a default, and how many bytes that makes. */
type Defaulted = readonly [key: string, property: Property, bytes: number];

const NONE: readonly Defaulted[] = [];
const known = new WeakMap<Schema, readonly Defaulted[]>();

/** The properties that have a default, which are few; looked up once for each schema. */
function propertiesWithDefaults(schema: Schema): readonly Defaulted[] {
  if (!schema.properties) return NONE;
  let properties = known.get(schema);
  if (!properties) {
    properties = Object.entries(schema.properties)
      .filter(([, property]) => property.default !== undefined)
      .map(([key, property]) => [key, property, key.length + JSON.stringify(property.default).length]);
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
