import { type FieldError, field, type Schema } from '@vireo/api';
import { formatOf, isInt64 } from './formats.ts';

/** The JSON type of a value, with Kubernetes' distinction of integers. */
export type JsonType = 'null' | 'boolean' | 'string' | 'integer' | 'number' | 'array' | 'object';

/** The type of a value. */
export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isInt64(value) ? 'integer' : 'number';
  return typeof value as 'boolean' | 'string' | 'object';
}

/**
 * Says that a value is not of the type that its schema wants; undefined where it is. With a format Kubernetes looks at
 * that first: a list passes for any string that has one, and everything else that is wrong is not of the format.
 */
export function typeError(value: unknown, schema: Schema, path: string): FieldError | undefined {
  const { type, intOrString, nullable } = schema;
  const actual = jsonTypeOf(value);
  const isWanted = intOrString
    ? actual === 'integer' || actual === 'string'
    : type === actual || (type === 'number' && actual === 'integer');
  if (isWanted) return undefined;
  const wanted = intOrString ? 'integer,string' : type;
  if (actual === 'null') return wanted === undefined || nullable ? undefined : notOfType(path, wanted, actual);
  const format = schema.format === undefined ? undefined : formatOf(schema);
  if (format === undefined) return wanted === undefined ? undefined : notOfType(path, wanted, actual);
  const isListOrText = actual === 'array' || actual === 'string';
  if (!isListOrText) return notOfType(path, format, FORMATS[actual]);
  const isNumeric = intOrString || type === 'integer' || type === 'number';
  return isNumeric && wanted !== undefined ? notOfType(path, wanted, actual) : undefined;
}

/** What Go calls the formats of values that have one by themselves. */
const FORMATS = { boolean: '', integer: 'int64', number: 'float64', object: '' } as const;

const notOfType = (path: string, wanted: string, actual: string): FieldError =>
  field.typeInvalid(path, actual, `${path} in body must be of type ${wanted}: ${JSON.stringify(actual)}`);
