import { type Property, type Schema, tooLarge } from '@vireo/api';
import { deepClone, isObject, own, setOwn } from '@vireo/api/json.ts';

/** What defaults may add to an object. A few bytes of defaults for each of a million items would be more than memory. */
export const MAX_DEFAULTS_BYTES = 3 * 1024 * 1024;

/**
 * Fills in the defaults of the schema, in place. A null counts as missing where the field is not nullable: it is
 * replaced by the default, or dropped where there is none. Applying it twice changes nothing more. Throws a 413 where
 * they would add more than 3 MiB.
 */
export function applySchemaDefaults(value: unknown, schema: Schema): void {
  if (!defaultsFit(value, schema)) throw tooLarge(MAX_DEFAULTS_BYTES);
}

/** The same, except that nulls without a default stay, for validation to refuse. */
export function fillInDefaults(value: unknown, schema: Schema): void {
  if (!defaultsFit(value, schema, { keepNulls: true })) throw tooLarge(MAX_DEFAULTS_BYTES);
}

/** The same, but false where they would add too much: then some are filled in and others not. */
export function defaultsFit(value: unknown, schema: Schema, { keepNulls = false } = {}): boolean {
  const filling: Filling = { bytes: MAX_DEFAULTS_BYTES, keepNulls };
  fill(value, schema, filling);
  return filling.bytes >= 0;
}

interface Filling {
  /** How much more defaults may add. */
  bytes: number;
  readonly keepNulls: boolean;
}

function fill(value: unknown, schema: Schema, filling: Filling): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) fill(item, schema.items, filling);
  } else if (isObject(value)) {
    for (const [key, property, bytes] of propertiesWithDefaults(schema)) {
      if (!isMissing(value, key, property.schema)) continue;
      filling.bytes -= bytes;
      if (filling.bytes < 0) return;
      setOwn(value, key, deepClone(property.default));
    }
    for (const key of Object.keys(value)) {
      const child = childOf(schema, key);
      if (!child) continue;
      if (!filling.keepNulls && value[key] === null && !acceptsNull(child)) delete value[key];
      else fill(value[key], child, filling);
    }
  }
}

/** Drops the nulls, in place, that neither the schema allows nor a default replaces. */
export function dropNulls(value: unknown, schema: Schema): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) dropNulls(item, schema.items);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const child = childOf(schema, key);
      if (!child) continue;
      if (value[key] !== null) dropNulls(value[key], child);
      else if (!acceptsNull(child) && propertyOf(schema, key)?.default === undefined) delete value[key];
    }
  }
}

const childOf = (schema: Schema, key: string): Schema | undefined => propertyOf(schema, key)?.schema ?? schema.values;

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

/** In a built-in kind, what is kept as it came is null too; a definition says where null is allowed. */
const acceptsNull = ({ nullable, protoMessage }: Schema): boolean => nullable === true || protoMessage === 'raw';

const propertyOf = (schema: Schema, key: string): Property | undefined =>
  schema.properties && own(schema.properties, key);
