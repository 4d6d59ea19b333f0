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
    const { items, elementDefault } = schema;
    if (!items) return;
    for (let i = 0; i < value.length; i++) {
      if (value[i] === null && elementDefault !== undefined && !acceptsNull(items)) {
        if (!hasRoom(filling, elementDefault)) return;
        value[i] = deepClone(elementDefault);
      }
      fill(value[i], items, filling);
    }
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
      if (value[key] !== null || acceptsNull(child)) fill(value[key], child, filling);
      else if (hasElementDefault(schema, key)) {
        if (!hasRoom(filling, schema.elementDefault)) return;
        setOwn(value, key, deepClone(schema.elementDefault));
        fill(value[key], child, filling);
      } else if (!filling.keepNulls) delete value[key];
    }
  }
}

function hasRoom(filling: Filling, added: unknown): boolean {
  filling.bytes -= JSON.stringify(added).length;
  return filling.bytes >= 0;
}

/** Whether the value of a key of a map has a default for null. */
const hasElementDefault = (schema: Schema, key: string): boolean =>
  schema.elementDefault !== undefined && propertyOf(schema, key) === undefined;

/** Drops the nulls, in place, that neither the schema allows nor a default replaces. */
export function dropNulls(value: unknown, schema: Schema): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) dropNulls(item, schema.items);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const child = childOf(schema, key);
      if (!child) continue;
      if (value[key] !== null) dropNulls(value[key], child);
      else if (!acceptsNull(child) && !hasDefault(schema, key)) delete value[key];
    }
  }
}

const hasDefault = (schema: Schema, key: string): boolean =>
  propertyOf(schema, key)?.default !== undefined || hasElementDefault(schema, key);

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
