/** The types that expressions see through a schema, with the sizes that values can have at most. */
import type { Property, Schema } from '@vireo/api';
import type { StructType, StructTypes } from '../declarations.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  STRING,
  structType,
  TIMESTAMP,
} from '../types.ts';
import { escapeField, isReserved } from './escape.ts';

/** The largest request that Kubernetes takes; sizes without a bound in the schema are bounded by it. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

/** A schema as a type. */
export interface SchemaType {
  readonly type: CelType;
  /** Characters, elements or entries; 0 for everything without a size. */
  readonly maxSize: number;
  /** The shortest JSON of a value, in bytes. */
  readonly minBytes: number;
  /** Of objects, by the names that expressions use. */
  readonly fields?: ReadonlyMap<string, SchemaType>;
  /** Of lists and maps. */
  readonly element?: SchemaType;
}

const scalar = (type: CelType, minBytes: number, maxSize = 0): SchemaType => ({ type, minBytes, maxSize });

const MAX_TEXT = MAX_REQUEST_BYTES - 2;
const nonNegative = (value: number): number => Math.max(value, 0);

/** The type of a schema; undefined where expressions cannot see such values. `name` is what messages call it. */
export function schemaTypeOf(schema: Schema, name: string, isResource = false): SchemaType | undefined {
  if (schema.intOrString) {
    return scalar(DYN, 1, schema.maxLength === undefined ? MAX_TEXT : nonNegative(schema.maxLength) * 4);
  }
  const seen = isResource ? withObjectMeta(schema) : schema;
  switch (seen.type) {
    case 'array':
      return listOf(seen, name);
    case 'object':
      return seen.values ? mapOf(seen, name) : objectOf(seen, name);
    case 'string':
      return textOf(seen);
    case 'boolean':
      return scalar(BOOL, 4);
    case 'number':
      return scalar(DOUBLE, 1);
    case 'integer':
      return scalar(INT, 1);
    default:
      return undefined;
  }
}

const child = (schema: Schema, name: string): SchemaType | undefined =>
  schemaTypeOf(schema, name, schema.embeddedResource === true);

function listOf({ items, maxItems }: Schema, name: string): SchemaType | undefined {
  const element = items && child(items, `${name}.@idx`);
  if (!element) return undefined;
  const maxSize = maxItems === undefined ? Math.floor(MAX_TEXT / (element.minBytes + 1)) : nonNegative(maxItems);
  return { type: listType(element.type), maxSize, minBytes: 2, element };
}

function mapOf({ values, maxProperties }: Schema, name: string): SchemaType | undefined {
  const element = values && child(values, `${name}.@elem`);
  if (!element) return undefined;
  const maxSize =
    maxProperties === undefined ? Math.floor(MAX_TEXT / (element.minBytes + 6)) : nonNegative(maxProperties);
  return { type: mapType(STRING, element.type), maxSize, minBytes: 2, element };
}

function objectOf({ properties = {} }: Schema, name: string): SchemaType {
  const fields = new Map<string, SchemaType>();
  let minBytes = 2;
  for (const [key, property] of Object.entries(properties)) {
    const escaped = escapeField(key);
    const type = child(property.schema, `${name}.${escaped}`);
    if (!type) continue;
    if (escaped !== undefined) fields.set(escaped, type);
    if (property.required && property.default === undefined) minBytes += Buffer.byteLength(key) + type.minBytes + 4;
  }
  return { type: structType(name), maxSize: 0, minBytes, fields };
}

function textOf({ format, maxLength, enum: values }: Schema): SchemaType {
  switch (format) {
    case 'byte':
      return scalar(BYTES, 2, maxLength === undefined ? MAX_TEXT : nonNegative(maxLength));
    case 'duration':
      return scalar(DURATION, 3, 32);
    case 'date':
      return scalar(TIMESTAMP, 12, 12);
    case 'date-time':
      return scalar(TIMESTAMP, 21, 32);
  }
  if (maxLength !== undefined) return scalar(STRING, 2, nonNegative(maxLength) * 4);
  if (!values || values.length === 0) return scalar(STRING, 2, MAX_TEXT);
  const lengths = values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0));
  return scalar(STRING, 2, Math.max(...lengths));
}

const text: Property = { schema: { type: 'string' }, required: false };
const objectMeta: Schema = { type: 'object', properties: { name: text, generateName: text } };
const resources = new WeakMap<Schema, Schema>();

/** What is known of every resource: its type, and its name. Other metadata cannot be seen. */
export function withObjectMeta(schema: Schema): Schema {
  const known = resources.get(schema);
  if (known) return known;
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const names = metadata?.schema.properties;
  const isDeclared =
    [kind, apiVersion, names?.name, names?.generateName].every((property) => property?.schema.type === 'string') &&
    metadata?.schema.type === 'object';
  const result = isDeclared
    ? schema
    : {
        ...schema,
        properties: {
          ...schema.properties,
          kind: text,
          apiVersion: text,
          metadata: { schema: objectMeta, required: false },
        },
      };
  resources.set(schema, result);
  return result;
}

/**
 * The types with fields inside of a type, by their names. A field that is called like a keyword can also be written
 * without underscores.
 */
export function structsOf(root: SchemaType): StructTypes {
  const structs = new Map<string, StructType>();
  const collect = ({ type, fields, element }: SchemaType): void => {
    if (element) collect(element);
    if (!fields || structs.has(type.name)) return;
    const field = (name: string) =>
      fields.get(name)?.type ?? (isReserved(name) ? fields.get(`__${name}__`)?.type : undefined);
    structs.set(type.name, { type, field });
    for (const inner of fields.values()) collect(inner);
  };
  collect(root);
  return { find: (name) => structs.get(name) };
}

/** The largest size of what is at a path below the root of a type; see `SizeEstimator`. */
export function sizeAt(root: SchemaType, path: readonly string[]): number | undefined {
  let at: SchemaType | undefined = root;
  for (const step of path) {
    if (step === '@keys') return at?.type.kind === 'map' && path.at(-1) === step ? 0 : undefined;
    at = step === '@items' || step === '@values' ? at?.element : at?.fields?.get(step);
    if (!at) return undefined;
  }
  return at.maxSize;
}
