/** Values of custom resources as expressions see them: JSON, converted by its schema where it is looked at. */
import type { Schema } from '@vireo/api';
import { isObject, type JsonObject, own } from '@vireo/api/json.ts';
import { namesOf, work } from '../meter.ts';
import { opaqueType } from '../types.ts';
import { equalResults } from '../values/collections.ts';
import { equal } from '../values/equality.ts';
import { fromJson } from '../values/json.ts';
import { parseDuration, parseTimestamp } from '../values/text.ts';
import { CelError, type CelMap, type CelValue, NO_SUCH_OVERLOAD, OpaqueValue, type Result } from '../values/values.ts';
import { escapeField, unescapeField } from './escape.ts';
import { schemaList } from './lists.ts';
import { withObjectMeta } from './types.ts';

/** The value of some JSON by its schema. What does not fit the schema is an error where it is looked at. */
export function fromSchema(json: unknown, schema: Schema): Result {
  if (json === null || json === undefined) {
    return schema.nullable ? null : new CelError('invalid data, got null for schema with nullable=false');
  }
  if (schema.intOrString) {
    if (typeof json === 'string') return json;
    if (Number.isInteger(json)) return BigInt(json as number);
    return new CelError('invalid data, expected XIntOrString value to be either a string or integer');
  }
  switch (schema.type) {
    case 'object':
      if (isObject(json)) return new SchemaObject(json, schema.embeddedResource ? withObjectMeta(schema) : schema);
      return new CelError('invalid data, expected a map for the provided schema with type=object');
    case 'array':
      if (Array.isArray(json)) return schemaList(json, schema);
      return new CelError('invalid data, expected an array for the provided schema with type=array');
    case 'string':
      return typeof json === 'string' ? fromText(json, schema.format) : unexpected('string', json);
    case 'number':
      return typeof json === 'number' ? json : unexpected('float', json);
    case 'integer':
      return Number.isInteger(json) ? BigInt(json as number) : unexpected('int', json);
    case 'boolean':
      return typeof json === 'boolean' ? json : unexpected('bool', json);
    default:
      return new Preserved(json);
  }
}

const unexpected = (wanted: string, json: unknown): CelError =>
  new CelError(`invalid data, expected ${wanted}, got ${goType(json)}`);

/** What Go calls a value that was read from JSON. */
function goType(json: unknown): string {
  if (Array.isArray(json)) return '[]interface {}';
  if (isObject(json)) return 'map[string]interface {}';
  if (typeof json === 'number') return Number.isInteger(json) ? 'int64' : 'float64';
  return typeof json === 'boolean' ? 'bool' : typeof json;
}

function fromText(text: string, format: string | undefined): Result {
  switch (format) {
    case 'duration':
      return parseDuration(text) ?? parseWords(text) ?? new CelError(`Invalid duration ${text}`);
    case 'date':
      return parseTimestamp(`${text}T00:00:00Z`) ?? new CelError(`Invalid date formatted string ${text}`);
    case 'date-time':
      return parseTimestamp(text) ?? new CelError(`Invalid date-time formatted string ${text}`);
    case 'byte':
      work(text.length >> 4);
      return Buffer.from(text, 'base64');
    default:
      return text;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  nano: 'ns',
  micro: 'us',
  milli: 'ms',
  second: 's',
  minute: 'm',
  hour: 'h',
};

/** `3 days`, which schemas take for durations as well. */
function parseWords(text: string): Result | undefined {
  const match = /^\s*(\d{1,15}(?:\.\d{0,15})?)\s*(nano|micro|milli|second|minute|hour|day|week)s?\s*$/.exec(text);
  if (!match) return undefined;
  const [, count = '', unit = ''] = match;
  if (unit === 'day') return parseDuration(`${Number(count) * 24}h`);
  if (unit === 'week') return parseDuration(`${Number(count) * 24 * 7}h`);
  return parseDuration(`${count}${WORDS[unit]}`);
}

/** What a schema preserves without knowing it. It can only be compared. */
class Preserved extends OpaqueValue {
  readonly type = opaqueType('unknown');
  readonly json: unknown;

  constructor(json: unknown) {
    super();
    this.json = json;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Preserved && sameJson(this.json, other.json);
  }

  override equalsOther(other: CelValue): boolean {
    return fromJson(this.json) === other;
  }
}

const sameJson = (a: unknown, b: unknown): boolean => equal(fromJson(a), fromJson(b)) === true;

/** An object with properties, or a map. */
export class SchemaObject implements CelMap {
  readonly isMap = true;
  readonly isTyped = true;
  readonly json: JsonObject;
  readonly schema: Schema;

  constructor(json: JsonObject, schema: Schema) {
    this.json = json;
    this.schema = schema;
  }

  get size(): number {
    return namesOf(this.json).length;
  }

  find(key: CelValue): Result | undefined {
    if (typeof key !== 'string') return NO_SUCH_OVERLOAD;
    const name = this.schema.properties ? unescapeField(key) : key;
    if (name === undefined) return undefined;
    const json = own(this.json, name);
    // Of an object, a field that is null is as good as missing.
    if (json === undefined || (json === null && this.schema.properties)) return undefined;
    const schema = this.#schemaOf(name);
    return schema && fromSchema(json, schema);
  }

  #schemaOf(name: string): Schema | undefined {
    const { properties, values } = this.schema;
    return properties ? own(properties, name)?.schema : values;
  }

  *keys(): Iterable<CelValue> {
    for (const name of namesOf(this.json)) {
      if (this.#schemaOf(name)) yield this.schema.properties ? (escapeField(name) ?? name) : name;
    }
  }

  equals(other: CelMap): boolean | CelError {
    if (this.size !== other.size) return false;
    for (const name of namesOf(this.json)) {
      work(10);
      const same = this.#schemaOf(name) ? this.#sameField(name, other) : this.#sameUnknown(name, other);
      if (same !== true) return same;
    }
    return true;
  }

  #sameField(name: string, other: CelMap): boolean | CelError {
    const key = this.schema.properties ? (escapeField(name) ?? name) : name;
    const [left, right] = [this.find(key), other.find(key)];
    if (left === undefined || right === undefined) return left === right;
    return equalResults(left, right);
  }

  /** Fields that the schema does not know are compared as they are. */
  #sameUnknown(name: string, other: CelMap): boolean | CelError {
    if (!(other instanceof SchemaObject)) return NO_SUCH_OVERLOAD;
    const theirs = own(other.json, name);
    return theirs === undefined || sameJson(this.json[name], theirs);
  }
}
