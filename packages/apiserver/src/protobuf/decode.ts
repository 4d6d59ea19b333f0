/** Reads the protobuf bodies of Kubernetes clients, driven by the field numbers in the schemas. */
import { badRequest, type Schema } from '@vireo/api';
import { type JsonObject, MAX_DEPTH, scanJson, setOwn } from '@vireo/api/json.ts';
import { alternativeOf } from '../schema/alternatives.ts';
import { meansAbsent } from '../schema/zeroValues.ts';
import { type Table, tableOf } from './table.ts';
import { readMicroTime, readTime } from './time.ts';
import { BYTES, FIXED64, malformedError, VARINT, WireReader } from './wire.ts';

/** Every Kubernetes body in protobuf starts with this. */
export const MAGIC = Buffer.from('k8s\0');
const MAX_NESTING = 100;

export type SchemaLookup = (apiVersion: string, kind: string) => Schema | undefined;

/** The object in a body, as JSON. Throws 400 BadRequest on anything that is none. */
export function decodeProtobuf(body: Buffer, schemaOf: SchemaLookup): JsonObject {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  const { apiVersion, kind, raw } = readEnvelope(body.subarray(MAGIC.length));
  if (kind === '') throw badRequest("Object 'Kind' is missing in the protobuf envelope");
  const schema = schemaOf(apiVersion, kind);
  if (!schema) throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}" to be read from protobuf`);
  return { ...readMessage(raw, schema, 0), apiVersion, kind };
}

/** `runtime.Unknown`: what the object is, and its bytes. */
function readEnvelope(bytes: Buffer): { apiVersion: string; kind: string; raw: Buffer } {
  let [apiVersion, kind] = ['', ''];
  let raw: Buffer = Buffer.alloc(0);
  for (const { field, reader } of fieldsOf(bytes)) {
    const value = reader.bytes();
    if (field === 1) {
      for (const inner of fieldsOf(value)) {
        const text = inner.reader.bytes().toString();
        if (inner.field === 1) apiVersion = text;
        else if (inner.field === 2) kind = text;
      }
    } else if (field === 2) raw = value;
    else if (value.length > 0) throw badRequest(`protobuf envelope: encoding "${value}" is not supported`);
  }
  return { apiVersion, kind, raw };
}

/** The fields of an envelope, which are all byte strings. */
function* fieldsOf(bytes: Buffer): Generator<{ field: number; reader: WireReader }> {
  const reader = new WireReader(bytes);
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (wireType !== BYTES) throw malformedError(`wrong wireType = ${wireType} for field ${field} of the envelope`);
    yield { field, reader };
  }
}

function readMessage(bytes: Buffer, schema: Schema, nesting: number): JsonObject {
  const result: JsonObject = {};
  readFields(bytes, tableOf(schema), result, nesting);
  return result;
}

function readFields(bytes: Buffer, table: Table, result: JsonObject, nesting: number): void {
  if (nesting > MAX_NESTING) throw malformedError(`messages nest deeper than ${MAX_NESTING} levels`);
  const reader = new WireReader(bytes);
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    const entry = table.get(field);
    if (!entry) {
      reader.skip(wireType);
    } else if (entry.type === 'embedded') {
      expectWire(wireType, BYTES, String(field));
      readFields(reader.bytes(), entry.table, result, nesting + 1);
    } else {
      const { key, property } = entry;
      readField(reader, wireType, key, property.schema, result, nesting);
      if (result[key] === undefined || meansAbsent(result[key], property)) delete result[key];
    }
  }
}

/** Reads one occurrence of a field into the object: lists and maps come one element at a time. */
function readField(
  reader: WireReader,
  wireType: number,
  key: string,
  schema: Schema,
  result: JsonObject,
  nesting: number,
): void {
  if (schema.type === 'array' && schema.items && !schema.protoMessage) {
    result[key] ??= [];
    readElements(reader, wireType, key, schema.items, result[key] as unknown[], nesting);
  } else if (schema.type === 'object' && schema.values && !schema.protoMessage) {
    expectWire(wireType, BYTES, key);
    result[key] ??= {};
    readEntry(reader.bytes(), schema.values, result[key] as JsonObject, nesting);
  } else {
    result[key] = readValue(reader, wireType, key, schema, nesting);
  }
}

function readElements(
  reader: WireReader,
  wireType: number,
  key: string,
  items: Schema,
  list: unknown[],
  nesting: number,
): void {
  const scalar = scalarWireType(items);
  if (scalar === undefined || wireType !== BYTES) {
    list.push(readValue(reader, wireType, key, items, nesting));
    return;
  }
  const packed = new WireReader(reader.bytes());
  while (!packed.done) list.push(readValue(packed, scalar, key, items, nesting));
}

/** The wire type of numbers and booleans, which lists may pack. */
function scalarWireType({ type, protoMessage }: Schema): number | undefined {
  if (protoMessage) return undefined;
  if (type === 'integer' || type === 'boolean') return VARINT;
  return type === 'number' ? FIXED64 : undefined;
}

function readEntry(bytes: Buffer, values: Schema, map: JsonObject, nesting: number): void {
  const reader = new WireReader(bytes);
  let key = '';
  let value = zeroOf(values);
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (field === 1) {
      expectWire(wireType, BYTES, 'key');
      key = reader.bytes().toString();
    } else if (field === 2) {
      value = readValue(reader, wireType, 'value', values, nesting);
    } else {
      reader.skip(wireType);
    }
  }
  setOwn(map, key, value);
}

/** What a map's entry holds when its value was left out. */
function zeroOf({ type, protoMessage }: Schema): unknown {
  if (protoMessage === 'quantity') return '0';
  if (protoMessage === 'intOrString') return 0;
  const zeros = { object: {}, array: [], string: '', integer: 0, number: 0, boolean: false };
  return type ? zeros[type] : null;
}

function readValue(reader: WireReader, wireType: number, key: string, schema: Schema, nesting: number): unknown {
  const scalar = scalarWireType(schema);
  expectWire(wireType, scalar ?? BYTES, key);
  if (schema.type === 'integer' && !schema.protoMessage) return reader.integer();
  if (schema.type === 'boolean' && !schema.protoMessage) return reader.varint() !== 0n;
  if (schema.type === 'number' && !schema.protoMessage) return reader.double();
  const bytes = reader.bytes();
  if (schema.protoMessage) return readSpecial(bytes, schema.protoMessage, nesting + 1);
  if (schema.type === 'string') return schema.format === 'byte' ? bytes.toString('base64') : bytes.toString();
  return readMessage(bytes, schema, nesting + 1);
}

/** Messages that JSON writes as something other than an object of their fields. */
function readSpecial(bytes: Buffer, message: string, nesting: number): unknown {
  switch (message) {
    case 'quantity':
      return (readMessage(bytes, QUANTITY, nesting).string as string | undefined) || '0';
    case 'time':
      return readTime(bytes);
    case 'microTime':
      return readMicroTime(bytes);
    case 'intOrString': {
      const { type, intVal, strVal } = readMessage(bytes, INT_OR_STRING, nesting);
      return type === 1 ? (strVal ?? '') : (intVal ?? 0);
    }
    case 'raw':
      return readRaw(bytes);
    case 'strings':
      return readMessage(bytes, STRINGS, nesting).items ?? [];
    default:
      return readAlternative(bytes, message, nesting);
  }
}

function readAlternative(bytes: Buffer, message: string, nesting: number): unknown {
  const alternative = alternativeOf(message);
  if (!alternative) throw malformedError(`message ${message} is not known`);
  const properties = {
    schema: { schema: alternative.schema, required: true, proto: alternative.schemaField },
    other: { schema: alternative.other, required: true, proto: alternative.otherField },
  };
  const fields = readMessage(bytes, { properties }, nesting);
  return fields.schema ?? fields.other;
}

const INT_OR_STRING: Schema = {
  properties: {
    type: { schema: { type: 'integer' }, required: true, proto: 1 },
    intVal: { schema: { type: 'integer' }, required: true, proto: 2 },
    strVal: { schema: { type: 'string' }, required: true, proto: 3 },
  },
};
const QUANTITY: Schema = { properties: { string: { schema: { type: 'string' }, required: true, proto: 1 } } };
const STRINGS: Schema = {
  properties: { items: { schema: { type: 'array', items: { type: 'string' } }, required: true, proto: 1 } },
};
const RAW: Schema = { properties: { raw: { schema: { type: 'string' }, required: true, proto: 1 } } };

/** A JSON text in field 1; empty where nothing was set. */
function readRaw(bytes: Buffer): unknown {
  const { raw } = readMessage(bytes, RAW, 0);
  if (typeof raw !== 'string' || raw === '') return undefined;
  if (scanJson(raw, MAX_DEPTH).tooDeep) throw malformedError('raw JSON: exceeded max depth');
  try {
    return JSON.parse(raw);
  } catch (error) {
    throw malformedError(`raw JSON: ${(error as Error).message}`);
  }
}

function expectWire(actual: number, wanted: number, key: string): void {
  if (actual !== wanted) throw malformedError(`wrong wireType = ${actual} for field ${key}`);
}
