/**
 * Reads a built-in kind from JSON as Go's decoder would: unknown fields are dropped and reported, null is absent and
 * so is a zero that Go cannot tell from it, quantities and times get their canonical text, and a value of the wrong
 * type is refused.
 */
import { badRequest, type Schema } from '@vireo/api';
import { deepClone, isObject, type JsonObject, own, setOwn } from '@vireo/api/json.ts';
import { canonicalQuantity } from '@vireo/api/quantity.ts';
import { alternativeOf } from './alternatives.ts';
import { goJsonKind, goName, goType } from './goNames.ts';
import { join } from './path.ts';
import { normalizeMicroTime, normalizeTime } from './times.ts';
import { meansAbsent } from './zeroValues.ts';

export interface BuiltinKind {
  readonly kind: string;
  readonly version: string;
  readonly schema: Schema;
}

export interface DecodedBuiltin {
  /** A private copy. */
  readonly object: JsonObject;
  /** Paths such as `spec.containers[0].foo`. */
  readonly unknownFields: readonly string[];
}

/** Throws 400 BadRequest on the first value of a wrong type. The value is not changed. */
export function decodeBuiltin(value: unknown, of: BuiltinKind): DecodedBuiltin {
  const unknownFields: string[] = [];
  const decode = new Decoder(unknownFields);
  try {
    return {
      object: decode.value(value, of.schema, { path: '', goPath: '', struct: '' }) as JsonObject,
      unknownFields,
    };
  } catch (error) {
    if (!(error instanceof WrongType)) throw error;
    throw badRequest(`${of.kind} in version "${of.version}" cannot be handled as a ${of.kind}: ${error.message}`);
  }
}

class WrongType extends Error {}

/** Where a value stands: its path, the path as Go prints it (without indexes), and the struct around it. */
interface Place {
  readonly path: string;
  readonly goPath: string;
  readonly struct: string;
}

class Decoder {
  readonly #unknownFields: string[];

  constructor(unknownFields: string[]) {
    this.#unknownFields = unknownFields;
  }

  value(value: unknown, schema: Schema, place: Place): unknown {
    const alternative = alternativeOf(schema.protoMessage);
    if (alternative)
      return new Decoder([]).value(value, isObject(value) ? alternative.schema : alternative.other, place);
    switch (schema.protoMessage) {
      case 'quantity':
        return readQuantity(value, schema, place);
      case 'time':
      case 'microTime':
        return readTime(value, schema, place);
      case 'raw':
        // Kept as it came, whatever it is.
        return deepClone(value);
      case 'intOrString':
        if (typeof value === 'string') return value;
        return readInteger(value, { type: 'integer', format: 'int32' }, place);
    }
    switch (schema.type) {
      case 'object':
        return this.#object(value, schema, place);
      case 'array':
        return this.#list(value, schema, place);
      case 'string':
        return readString(value, schema, place);
      case 'integer':
        return readInteger(value, schema, place);
      case 'number':
      case 'boolean':
        if (typeof value !== schema.type) throw mismatch(value, schema, place);
        return value;
      default:
        return deepClone(value);
    }
  }

  #object(value: unknown, schema: Schema, place: Place): JsonObject {
    if (!isObject(value)) throw mismatch(value, schema, place);
    const struct = schema.name ? goName(schema.name, false) : place.struct;
    const result: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      // Only in-process callers can hand this in; JSON would have left it out.
      if (item === undefined) continue;
      const below = { path: join(place.path, key), goPath: join(place.goPath, key), struct };
      const property = schema.properties && own(schema.properties, key);
      if (property) {
        const decoded = item === null ? undefined : this.value(item, property.schema, below);
        if (decoded !== undefined && !meansAbsent(decoded, property)) setOwn(result, key, decoded);
      } else if (schema.values) {
        // Go names the fields of structs, not the keys of maps.
        setOwn(result, key, this.#element(item, schema.values, { ...below, goPath: place.goPath }));
      } else if (schema.preserveUnknownFields) {
        setOwn(result, key, deepClone(item));
      } else {
        this.#unknownFields.push(below.path);
      }
    }
    return result;
  }

  #list(value: unknown, schema: Schema, place: Place): unknown[] {
    if (!Array.isArray(value)) throw mismatch(value, schema, place);
    const items = schema.items ?? {};
    return value.map((item, i) => this.#element(item, items, { ...place, path: `${place.path}[${i}]` }));
  }

  /** In lists and maps Go reads null as the zero value, for there is no field to leave out. */
  #element(item: unknown, schema: Schema, place: Place): unknown {
    return this.value(item === null ? zeroValue(schema) : item, schema, place);
  }
}

function zeroValue(schema: Schema): unknown {
  if (schema.protoMessage === 'quantity') return '0';
  if (schema.protoMessage === 'intOrString') return 0;
  if (schema.protoMessage === 'time' || schema.protoMessage === 'microTime') return null;
  const zeros = { object: {}, array: [], string: '', integer: 0, number: 0, boolean: false };
  return schema.type ? zeros[schema.type] : null;
}

function mismatch(value: unknown, schema: Schema, { goPath, struct }: Place, shown = goJsonKind(value)): WrongType {
  const into = goPath === '' ? 'value' : `struct field ${struct}.${goPath}`;
  return new WrongType(`json: cannot unmarshal ${shown} into Go ${into} of type ${goType(schema)}`);
}

function readString(value: unknown, schema: Schema, place: Place): string {
  if (typeof value !== 'string') throw mismatch(value, schema, place);
  if (schema.format !== 'byte') return value;
  const compact = value.replaceAll(/[\r\n]/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact)) {
    const good = /^[A-Za-z0-9+/]*/.exec(compact)![0].length;
    throw new WrongType(`${place.path}: illegal base64 data at input byte ${good}`);
  }
  return compact;
}

function readInteger(value: unknown, schema: Schema, place: Place): number {
  if (typeof value !== 'number') throw mismatch(value, schema, place);
  // An int64 beyond 2^53 has been rounded by the JSON parser already; passing it on would corrupt it silently.
  const most = schema.format === 'int64' ? Number.MAX_SAFE_INTEGER : 2 ** 31 - 1;
  if (!Number.isInteger(value) || value > most || value < -most - 1) {
    throw mismatch(value, schema, place, `number ${value}`);
  }
  return value;
}

function readQuantity(value: unknown, schema: Schema, place: Place): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw mismatch(value, schema, place);
  try {
    return canonicalQuantity(typeof value === 'string' ? value.trim() : value);
  } catch (error) {
    throw new WrongType(`${place.path}: ${(error as Error).message}`);
  }
}

function readTime(value: unknown, schema: Schema, place: Place): string | null {
  if (value === null) return null;
  if (typeof value !== 'string') throw mismatch(value, schema, place);
  const text = schema.protoMessage === 'time' ? normalizeTime(value) : normalizeMicroTime(value);
  if (text !== undefined) return text;
  const quoted = JSON.stringify(value);
  throw new WrongType(`parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`);
}
