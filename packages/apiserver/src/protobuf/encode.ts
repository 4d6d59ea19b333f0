/** Writes objects as Kubernetes' protobuf bodies, driven by the field numbers in the schemas. */
import type { Property, Schema } from '@vireo/api';
import { isObject, type JsonObject, own } from '@vireo/api/json.ts';
import { alternativeOf } from '../schema/alternatives.ts';
import { MAGIC } from './decode.ts';
import { type Table, tableOf } from './table.ts';
import { WireWriter } from './wire.ts';

/** The body for an object that fits the schema. Fields without a number are left out. */
export function encodeProtobuf(object: JsonObject, schema: Schema): Buffer {
  const type = new WireWriter();
  type.string(1, String(object.apiVersion ?? ''));
  type.string(2, String(object.kind ?? ''));
  const envelope = new WireWriter();
  envelope.bytes(1, type.finish());
  envelope.bytes(2, message(object, schema));
  envelope.string(3, '');
  envelope.string(4, '');
  return Buffer.concat([MAGIC, envelope.finish()]);
}

const message = (object: JsonObject, schema: Schema): Buffer => fields(object, tableOf(schema));

function fields(object: JsonObject, table: Table): Buffer {
  const writer = new WireWriter();
  for (const [number, entry] of table) {
    if (entry.type === 'embedded') {
      const inner = fields(object, entry.table);
      if (inner.length > 0) writer.bytes(number, inner);
    } else {
      const value = own(object, entry.key);
      if (value !== undefined && value !== null) writeField(writer, number, value, entry.property);
    }
  }
  return writer.finish();
}

function writeField(writer: WireWriter, number: number, value: unknown, { schema }: Pick<Property, 'schema'>): void {
  if (schema.protoMessage) {
    writer.bytes(number, special(value, schema.protoMessage));
  } else if (schema.items && Array.isArray(value)) {
    for (const item of value) writeField(writer, number, item, { schema: schema.items });
  } else if (schema.values && isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const entry = new WireWriter();
      entry.string(1, key);
      writeField(entry, 2, item, { schema: schema.values });
      writer.bytes(number, entry.finish());
    }
  } else if (schema.type === 'integer') {
    writer.varint(number, value as number);
  } else if (schema.type === 'boolean') {
    writer.varint(number, value ? 1 : 0);
  } else if (schema.type === 'number') {
    writer.double(number, value as number);
  } else if (schema.type === 'string') {
    writer.bytes(number, Buffer.from(value as string, schema.format === 'byte' ? 'base64' : 'utf8'));
  } else {
    writer.bytes(number, message(value as JsonObject, schema));
  }
}

function special(value: unknown, kind: string): Buffer {
  const writer = new WireWriter();
  switch (kind) {
    case 'quantity':
      writer.string(1, String(value));
      break;
    case 'time':
    case 'microTime': {
      const text = value as string;
      const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
      writer.varint(1, Math.floor(Date.parse(text) / 1000));
      writer.varint(2, kind === 'time' ? 0 : Number(fraction.padEnd(9, '0').slice(0, 9)));
      break;
    }
    case 'intOrString':
      writer.varint(1, typeof value === 'string' ? 1 : 0);
      writer.varint(2, typeof value === 'number' ? value : 0);
      writer.string(3, typeof value === 'string' ? value : '');
      break;
    case 'raw':
      writer.string(1, JSON.stringify(value));
      break;
    case 'strings':
      for (const item of value as string[]) writer.string(1, item);
      break;
    default:
      writeAlternative(writer, value, kind);
  }
  return writer.finish();
}

function writeAlternative(writer: WireWriter, value: unknown, kind: string): void {
  const alternative = alternativeOf(kind);
  if (!alternative) throw new Error(`protobuf message ${kind} is not known`);
  if (isObject(value)) writeField(writer, alternative.schemaField, value, alternative);
  else writeField(writer, alternative.otherField, value, { schema: alternative.other });
}
