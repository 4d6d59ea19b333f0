/**
 * Protobuf as Go's generated code writes and reads it, made for these tests alone: it shares nothing with the server's
 * own, so that a mistake there shows.
 */
export type FieldType =
  | 'string'
  | 'bytes'
  | 'int'
  | 'bool'
  | 'double'
  | 'quantity'
  | 'time'
  | 'microTime'
  | 'intOrString'
  | 'json'
  /** A message around a list of strings: Go has no maps of lists. */
  | 'strings'
  | { readonly message: () => Message }
  | { readonly list: FieldType }
  | { readonly map: FieldType }
  /** A schema in the first field number, something else in the second. */
  | {
      readonly schema: FieldType;
      readonly schemaNumber: number;
      readonly other: FieldType;
      readonly otherNumber: number;
    };

/** By name: the number and the type; further numbers where Go embeds the structs that the field is in. */
export type Message = Readonly<Record<string, readonly [number, FieldType, ...number[]]>>;

type Json = Record<string, unknown>;

const varint = (value: bigint): number[] => {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, value); ; rest >>= 7n) {
    if (rest < 128n) return [...bytes, Number(rest)];
    bytes.push(Number(rest % 128n) + 128);
  }
};

const tagged = (number: number, wireType: number, ...parts: Uint8Array[]): Uint8Array =>
  Buffer.concat([Buffer.from(varint(BigInt(number * 8 + wireType))), ...parts]);

const delimited = (number: number, bytes: Uint8Array): Uint8Array =>
  tagged(number, 2, Buffer.from(varint(BigInt(bytes.length))), bytes);

const number64 = (number: number, value: number | bigint): Uint8Array =>
  tagged(number, 0, Buffer.from(varint(BigInt(value))));

/** An object's bytes, its fields in the order of their numbers. */
export function encode(object: Json, message: Message): Uint8Array {
  const embedded = new Map<number, Record<string, Message[string]>>();
  const parts: [number, Uint8Array][] = [];
  for (const [name, [number, type, ...inner]] of Object.entries(message)) {
    if (object[name] === undefined || object[name] === null) continue;
    const [first, ...others] = inner;
    if (first === undefined) parts.push([number, encodeField(number, object[name], type)]);
    else embedded.set(number, { ...embedded.get(number), [name]: [first, type, ...others] });
  }
  for (const [number, fields] of embedded) parts.push([number, delimited(number, encode(object, fields))]);
  return Buffer.concat(parts.sort(([a], [b]) => a - b).map(([, bytes]) => bytes));
}

function encodeField(number: number, value: unknown, type: FieldType): Uint8Array {
  if (typeof type === 'object') {
    if ('list' in type) return Buffer.concat((value as unknown[]).map((item) => encodeField(number, item, type.list)));
    if ('map' in type)
      return Buffer.concat(
        Object.entries(value as Json)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, item]) =>
            delimited(number, Buffer.concat([encodeField(1, key, 'string'), encodeField(2, item, type.map)])),
          ),
      );
    if ('message' in type) return delimited(number, encode(value as Json, type.message()));
    const isSchema = typeof value === 'object' && !Array.isArray(value);
    const inner = isSchema
      ? encodeField(type.schemaNumber, value, type.schema)
      : encodeField(type.otherNumber, value, type.other);
    return delimited(number, inner);
  }
  switch (type) {
    case 'string':
      return delimited(number, Buffer.from(value as string));
    case 'bytes':
      return delimited(number, Buffer.from(value as string, 'base64'));
    case 'int':
      return number64(number, value as number);
    case 'bool':
      return number64(number, value ? 1 : 0);
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(value as number);
      return tagged(number, 1, bytes);
    }
    case 'quantity':
      return delimited(number, delimited(1, Buffer.from(String(value))));
    case 'time':
    case 'microTime': {
      const [, seconds = '', fraction = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(value as string) ?? [];
      const nanos = Number(fraction.padEnd(9, '0'));
      return delimited(number, Buffer.concat([number64(1, Date.parse(`${seconds}Z`) / 1000), number64(2, nanos)]));
    }
    case 'intOrString': {
      const isText = typeof value === 'string';
      return delimited(
        number,
        Buffer.concat([
          number64(1, isText ? 1 : 0),
          number64(2, isText ? 0 : (value as number)),
          delimited(3, Buffer.from(isText ? value : '')),
        ]),
      );
    }
    case 'json':
      return delimited(number, delimited(1, Buffer.from(JSON.stringify(value))));
    case 'strings':
      return delimited(number, encodeField(1, value, { list: 'string' }));
  }
}

/** `runtime.Unknown` behind its four bytes: what every body is. */
export function encodeBody(apiVersion: string, kind: string, object: Json, message: Message): Buffer {
  const typeMeta = Buffer.concat([delimited(1, Buffer.from(apiVersion)), delimited(2, Buffer.from(kind))]);
  const empty = Buffer.alloc(0);
  return Buffer.concat([
    Buffer.from([0x6b, 0x38, 0x73, 0x00]),
    delimited(1, typeMeta),
    delimited(2, encode(object, message)),
    delimited(3, empty),
    delimited(4, empty),
  ]);
}

interface RawField {
  readonly number: number;
  readonly bytes: Buffer;
  readonly value: bigint;
}

/** The fields of a message as they stand in its bytes. */
export function fieldsOf(bytes: Buffer): RawField[] {
  const fields: RawField[] = [];
  let at = 0;
  const read = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('a varint without an end');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(read());
    const [number, wireType] = [tag >> 3, tag & 7];
    if (wireType === 0) fields.push({ number, bytes: Buffer.alloc(0), value: read() });
    else if (wireType === 1 || wireType === 2) {
      const length = wireType === 1 ? 8 : Number(read());
      if (at + length > bytes.length) throw new Error(`field ${number} goes beyond the end of its message`);
      fields.push({ number, bytes: bytes.subarray(at, at + length), value: 0n });
      at += length;
    } else throw new Error(`field ${number} has the wire type ${wireType}`);
  }
  return fields;
}

/** An object from its bytes; a field that the message does not have is an error. */
export function decode(bytes: Buffer, message: Message): Json {
  const object: Json = {};
  decodeInto(object, fieldsOf(bytes), Object.entries(message));
  return object;
}

type Entry = [string, Message[string]];

function decodeInto(object: Json, fields: readonly RawField[], entries: readonly Entry[]): void {
  for (const field of fields) {
    const candidates = entries.filter(([, [number]]) => number === field.number);
    const [first] = candidates;
    if (!first) throw new Error(`field ${field.number} is not one of ${entries.map(([name]) => name)}`);
    const [name, [, type, ...inner]] = first;
    if (inner.length > 0) decodeInto(object, fieldsOf(field.bytes), candidates.map(inStruct));
    else object[name] = decodeField(field, type, object[name]);
  }
}

/** A field as the embedded struct has it. */
const inStruct = ([name, [, type, number = 0, ...inner]]: Entry): Entry => [name, [number, type, ...inner]];

function decodeField(field: RawField, type: FieldType, before: unknown): unknown {
  const { bytes, value } = field;
  if (typeof type === 'object') {
    if ('list' in type) return [...((before as unknown[]) ?? []), decodeField(field, type.list, undefined)];
    if ('message' in type) return decode(bytes, type.message());
    const inner = fieldsOf(bytes);
    const at = (number: number) => inner.find((each) => each.number === number);
    if ('map' in type) {
      const item = at(2) ?? { number: 2, bytes: Buffer.alloc(0), value: 0n };
      return { ...(before as Json), [String(at(1)?.bytes ?? '')]: decodeField(item, type.map, undefined) };
    }
    const schema = at(type.schemaNumber);
    if (schema) return decodeField(schema, type.schema, undefined);
    return inner.reduce<unknown>((so, each) => decodeField(each, type.other, so), undefined);
  }
  const inner = (number: number): RawField | undefined => fieldsOf(bytes).find((each) => each.number === number);
  switch (type) {
    case 'string':
      return bytes.toString();
    case 'bytes':
      return bytes.toString('base64');
    case 'int':
      return Number(BigInt.asIntN(64, value));
    case 'bool':
      return value !== 0n;
    case 'double':
      return bytes.readDoubleLE();
    case 'quantity':
      return String(inner(1)?.bytes ?? '0');
    case 'time':
    case 'microTime': {
      const text = new Date(Number(BigInt.asIntN(64, inner(1)?.value ?? 0n)) * 1000).toISOString().slice(0, 19);
      const micros = String(Number(inner(2)?.value ?? 0n) / 1000).padStart(6, '0');
      return type === 'time' ? `${text}Z` : `${text}.${micros}Z`;
    }
    case 'intOrString':
      return inner(1)?.value === 1n ? String(inner(3)?.bytes ?? '') : Number(inner(2)?.value ?? 0n);
    case 'json':
      return JSON.parse(String(inner(1)?.bytes));
    case 'strings':
      return fieldsOf(bytes).map((item) => item.bytes.toString());
  }
}

/** What a body says that it is, and the bytes of the object in it. */
export function openBody(body: Buffer): { apiVersion: string; kind: string; raw: Buffer } {
  if (body.readUInt32BE() !== 0x6b387300) throw new Error('the body does not begin with k8s\\0');
  const envelope = fieldsOf(body.subarray(4));
  const at = (fields: readonly RawField[], number: number): Buffer =>
    fields.find((each) => each.number === number)?.bytes ?? Buffer.alloc(0);
  const typeMeta = fieldsOf(at(envelope, 1));
  return { apiVersion: String(at(typeMeta, 1)), kind: String(at(typeMeta, 2)), raw: at(envelope, 2) };
}
