/**
 * OpenAPI v2 in protobuf: `openapi.v2.Document` of gnostic, written from the same JSON. Only the messages and fields that
 * documents of this server have are here.
 */
import { stringify } from 'yaml';
import { WireWriter } from '../../protobuf/wire.ts';

type Json = Record<string, unknown>;
type Write = (writer: WireWriter, field: number, value: unknown) => void;

/** Proto3 leaves out what is empty or zero. */
const text: Write = (writer, field, value) => value !== '' && writer.string(field, String(value));
const flag: Write = (writer, field, value) => value === true && writer.varint(field, 1);
const double: Write = (writer, field, value) => value !== 0 && writer.double(field, value as number);
const integer: Write = (writer, field, value) => value !== 0 && writer.varint(field, BigInt(value as number));

const many =
  (write: Write): Write =>
  (writer, field, value) => {
    for (const item of value as unknown[]) write(writer, field, item);
  };

const yamlTexts = new Map<string, string>();

/** A value of any kind is carried as YAML. The same few come again and again. */
const any: Write = (writer, field, value) => {
  const key = JSON.stringify(value);
  let yaml = yamlTexts.get(key);
  if (yaml === undefined) {
    yaml = stringify(value);
    if (key.length < 200 && yamlTexts.size < 10_000) yamlTexts.set(key, yaml);
  }
  const message = new WireWriter();
  message.string(2, yaml);
  writer.bytes(field, message.finish());
};

type Fields = Readonly<Record<string, readonly [number: number, write: Write]>>;

/** Fields are written in the order of their numbers. `extensions`: the field of whatever begins with `x-`. */
function message(fields: () => Fields, extensions?: number): Write {
  let known: [string, Fields[string]][] | undefined;
  return (writer, field, value) => {
    known ??= Object.entries(fields()).sort(([, [a]], [, [b]]) => a - b);
    const object = value as Json;
    const inner = new WireWriter();
    for (const [key, [number, write]] of known) if (object[key] !== undefined) write(inner, number, object[key]);
    if (extensions !== undefined)
      for (const key in object) if (key.startsWith('x-')) named(any)(inner, extensions, [key, object[key]]);
    writer.bytes(field, inner.finish());
  };
}

/** A message that holds another in one of its fields. */
const wrapped =
  (inner: number, write: Write): Write =>
  (writer, field, value) => {
    const message = new WireWriter();
    write(message, inner, value);
    writer.bytes(field, message.finish());
  };

/** A name and what it stands for. */
const named =
  (write: Write): Write =>
  (writer, field, value) => {
    const [name, item] = value as [string, unknown];
    const message = new WireWriter();
    message.string(1, name);
    write(message, 2, item);
    writer.bytes(field, message.finish());
  };

/** An object as a list of names and values. */
const entries =
  (write: Write): Write =>
  (writer, field, value) => {
    for (const entry of Object.entries(value as Json)) named(write)(writer, field, entry);
  };

const isReference = (value: unknown): boolean => Object.hasOwn(value as Json, '$ref');

const schema: Write = message(
  () => ({
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, flag],
    minimum: [9, double],
    exclusiveMinimum: [10, flag],
    maxLength: [11, integer],
    minLength: [12, integer],
    pattern: [13, text],
    maxItems: [14, integer],
    minItems: [15, integer],
    uniqueItems: [16, flag],
    maxProperties: [17, integer],
    minProperties: [18, integer],
    required: [19, many(text)],
    enum: [20, many(any)],
    additionalProperties: [21, schemaOrFlag],
    type: [22, wrapped(1, text)],
    items: [23, wrapped(1, schema)],
    properties: [25, wrapped(1, entries(schema))],
    externalDocs: [29, message(() => ({ description: [1, text], url: [2, text] }))],
    example: [30, any],
  }),
  31,
);

const schemaOrFlag: Write = (writer, field, value) =>
  typeof value === 'boolean' ? wrapped(2, flag)(writer, field, value) : wrapped(1, schema)(writer, field, value);

const jsonReference = message(() => ({ $ref: [1, text], description: [2, text] }));

const bodyParameter = message(() => ({
  description: [1, text],
  name: [2, text],
  in: [3, text],
  required: [4, flag],
  schema: [5, schema],
}));
const plainParameter = (typeField: number) =>
  message(() => ({
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [typeField, text],
    uniqueItems: [typeField + 14, flag],
  }));
const queryParameter = wrapped(3, plainParameter(6));
const pathParameter = wrapped(4, plainParameter(5));

const parameter: Write = (writer, field, value) => {
  const where = (value as Json).in;
  if (where === 'body') wrapped(1, bodyParameter)(writer, field, value);
  else wrapped(2, where === 'query' ? queryParameter : pathParameter)(writer, field, value);
};

const parameterOrReference: Write = (writer, field, value) =>
  isReference(value) ? wrapped(2, jsonReference)(writer, field, value) : wrapped(1, parameter)(writer, field, value);

const response = message(() => ({ description: [1, text], schema: [2, wrapped(1, schema)] }));

const operation = message(
  () => ({
    tags: [1, many(text)],
    description: [3, text],
    operationId: [5, text],
    produces: [6, many(text)],
    consumes: [7, many(text)],
    parameters: [8, many(parameterOrReference)],
    responses: [9, wrapped(1, entries(wrapped(1, response)))],
    schemes: [10, many(text)],
  }),
  13,
);

const pathItem = message(() => ({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  patch: [8, operation],
  parameters: [9, many(parameterOrReference)],
}));

const apiKey = message(() => ({ type: [1, text], name: [2, text], in: [3, text], description: [4, text] }));

/** The parts of a document that are lists of names and values, with the field of the list in its message. */
const LISTS = {
  paths: [2, pathItem],
  definitions: [1, schema],
  parameters: [1, parameter],
} as const;

/** One entry of a list, to be put together with others by `protobufDocument`. */
export function protobufEntry(list: keyof typeof LISTS, name: string, value: unknown): Buffer {
  const [field, write] = LISTS[list];
  const writer = new WireWriter();
  named(write)(writer, field, [name, value]);
  return writer.finish();
}

interface DocumentHead {
  readonly swagger: string;
  readonly info: Json;
  readonly securityDefinitions: Json;
  readonly security: readonly Json[];
}

const info = message(() => ({ title: [1, text], version: [2, text] }));
const requirement = wrapped(1, named(wrapped(1, many(text))));
const securityDefinitions = wrapped(1, entries(wrapped(2, apiKey)));

/** A whole document of entries. */
export function protobufDocument(
  head: DocumentHead,
  lists: Readonly<Record<keyof typeof LISTS, readonly Buffer[]>>,
): Buffer {
  const writer = new WireWriter();
  writer.string(1, head.swagger);
  info(writer, 2, head.info);
  writer.bytes(8, Buffer.concat(lists.paths));
  writer.bytes(9, Buffer.concat(lists.definitions));
  writer.bytes(10, Buffer.concat(lists.parameters));
  for (const each of head.security) for (const entry of Object.entries(each)) requirement(writer, 12, entry);
  securityDefinitions(writer, 13, head.securityDefinitions);
  return writer.finish();
}
