import { ApiError } from '@vireo/api';
import { CustomResourceDefinition } from '@vireo/api/kinds/apiextensions/customResourceDefinition.ts';
import { objectFields } from '@vireo/api/meta.ts';
import {
  anything,
  boolean,
  bytes,
  double,
  int32,
  int64,
  intOrString,
  list,
  map,
  microTime,
  opt,
  quantity,
  req,
  type Schema,
  string,
  struct,
  time,
} from '@vireo/api/schema.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './decode.ts';
import { encodeProtobuf } from './encode.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const body = (raw: Buffer, apiVersion = 'v1', kind = 'Thing') =>
  Buffer.concat([Buffer.from('k8s\0'), field(1, typeMeta(apiVersion, kind)), field(2, raw)]);
const typeMeta = (apiVersion: string, kind: string) =>
  Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))]);
/** A field of bytes; the length takes one byte, or two where one is too short. */
const field = (number: number, value: Buffer) => {
  const length = value.length < 0x80 ? [value.length] : [(value.length & 0x7f) | 0x80, value.length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), value]);
};

const Thing = struct('Thing', '', {
  ...objectFields,
  text: opt(2, string),
  must: req(3, string),
  replicas: opt(4, int32, { pointer: true }),
  minReadySeconds: opt(5, int32),
  on: opt(6, boolean, { pointer: true }),
  hostNetwork: opt(7, boolean),
  numbers: opt(8, list(int64)),
  labels: opt(9, map(string)),
  data: opt(10, map(bytes)),
  ratio: opt(11, double),
  inner: opt([12, 1], string),
  deeper: opt([12, 2, 3], int64),
  cpu: opt(13, quantity),
  at: opt(14, time),
  micro: opt(15, microTime),
  port: opt(16, intOrString),
  raw: opt(17, anything),
  extra: opt(18, map({ ...list(string), protoMessage: 'strings' })),
  children: opt(19, list(struct('Child', '', { name: opt(1, string) }))),
  storageClassName: opt(20, string, { pointer: true }),
});
const lookup = (apiVersion: string, kind: string): Schema | undefined =>
  apiVersion === 'v1' && kind === 'Thing' ? Thing : undefined;
const decode = (raw: Buffer) => {
  const { apiVersion, kind, ...rest } = decodeProtobuf(body(raw), lookup);
  expect({ apiVersion, kind }).toEqual({ apiVersion: 'v1', kind: 'Thing' });
  return rest;
};

describe('decodeProtobuf', () => {
  it.each([
    ['nothing', '', {}],
    ['text', '12 02 6869', { text: 'hi' }],
    ['zero values that nobody set', '12 00 28 00 38 00', {}],
    [
      'zero values that somebody may have set',
      '1a 00 20 00 30 00 a2 01 00',
      { must: '', replicas: 0, on: false, storageClassName: '' },
    ],
    ['negative numbers', '20 ff ff ff ff ff ff ff ff ff 01', { replicas: -1 }],
    ['unpacked lists', '40 01 40 02', { numbers: [1, 2] }],
    ['packed lists', '42 03 01 ac 02', { numbers: [1, 300] }],
    ['maps', '4a 06 0a 01 61 12 01 62 4a 03 0a 01 63', { labels: { a: 'b', c: '' } }],
    ['bytes', '52 07 0a 01 61 12 02 6869', { data: { a: 'aGk=' } }],
    ['doubles', '59 00 00 00 00 00 00 f8 3f', { ratio: 1.5 }],
    ['embedded structs', '62 07 0a 01 78 12 02 18 07', { inner: 'x', deeper: 7 }],
    ['quantities', '6a 06 0a 04 35 30 30 6d', { cpu: '500m' }],
    ['zero times', '72 00 7a 00', {}],
    ['times', '72 04 08 01 10 05', { at: '1970-01-01T00:00:01Z' }],
    ['micro times', '7a 06 08 01 10 c0 84 3d', { micro: '1970-01-01T00:00:01.001000Z' }],
    ['numbers in intOrString', '82 01 06 08 00 10 50 1a 00', { port: 80 }],
    ['texts in intOrString', '82 01 07 08 01 10 00 1a 01 61', { port: 'a' }],
    ['raw JSON', '8a 01 09 0a 07 7b2261223a317d', { raw: { a: 1 } }],
    ['string lists in maps', '92 01 08 0a 01 61 12 03 0a 01 62', { extra: { a: ['b'] } }],
    ['messages', '9a 01 03 0a 01 61 9a 01 00', { children: [{ name: 'a' }, {}] }],
    ['unknown fields', 'f8 07 01 f9 07 00 00 00 00 00 00 00 00 fa 07 01 00 fd 07 00 00 00 00', {}],
    [
      'keys called __proto__',
      '4a 0e 0a 09 5f 5f 70 72 6f 74 6f 5f 5f 12 01 62',
      { labels: JSON.parse('{"__proto__":"b"}') },
    ],
  ])('%s', (_, raw, expected) => {
    expect(decode(hex(raw))).toEqual(expected);
  });

  it.each([
    ['a truncated text', '12 05 68', 'unexpected EOF'],
    ['a truncated number', '20 ff', 'unexpected EOF'],
    ['a huge length', '12 ff ff ff ff ff ff ff ff 7f', 'unexpected EOF'],
    ['an endless number', '20 ff ff ff ff ff ff ff ff ff ff ff', 'integer overflow'],
    ['field zero', '00 01', 'illegal tag 0'],
    ['a group', 'fb 07', 'illegal wireType 3'],
    ['a wrong wire type', '10 01', 'wrong wireType = 0 for field text'],
    ['a number past 2^53', '20 ff ff ff ff ff ff ff ff 7f', 'beyond ±2^53'],
    ['a time out of range', '72 07 08 80 83 d1 ff af 07', 'out of range'],
    ['bad raw JSON', '8a 01 03 0a 01 7b', 'raw JSON'],
  ])('refuses %s', (_, raw, message) => {
    expect(() => decode(hex(raw))).toThrow(
      expect.objectContaining({ code: 400, message: expect.stringContaining(message) }),
    );
  });

  it('refuses what is no body, and kinds that it does not know', () => {
    expect(() => decodeProtobuf(Buffer.from('{}'), lookup)).toThrow(/does not appear to be a protobuf message/);
    expect(() => decodeProtobuf(Buffer.from('k8s\0'), lookup)).toThrow(/'Kind' is missing/);
    expect(() => decodeProtobuf(body(Buffer.alloc(0), 'v2'), lookup)).toThrow(
      /no kind "Thing" is registered for version "v2"/,
    );
  });

  it('bounds the nesting', () => {
    const self: Schema = { type: 'object', properties: {} };
    Object.assign(self, { properties: { self: { schema: self, required: false, proto: 1 } } });
    const nested = (levels: number): Buffer => {
      let raw = Buffer.alloc(0);
      for (let i = 0; i < levels; i++) raw = Buffer.from(field(1, raw));
      return body(raw);
    };
    expect(() => decodeProtobuf(nested(100), () => self)).not.toThrow();
    expect(() => decodeProtobuf(nested(101), () => self)).toThrow(/nest deeper than 100/);
  });
});

describe('laws', () => {
  const text = fc.string({ minLength: 1 }).map((value) => value.toWellFormed());
  const date = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  const dictionary = <T>(value: fc.Arbitrary<T>) => fc.dictionary(text, value, { minKeys: 1, noNullPrototype: true });
  /** A leaf schema with values that its wire form keeps. */
  const leaves: [Schema, fc.Arbitrary<unknown>][] = [
    [string, text],
    [boolean, fc.boolean()],
    [int32, fc.integer()],
    [int64, fc.maxSafeInteger()],
    [double, fc.double({ noNaN: true })],
    [bytes, fc.uint8Array({ minLength: 1 }).map((value) => Buffer.from(value).toString('base64'))],
    [quantity, fc.constantFrom('1', '500m', '1Gi')],
    [time, date.map((value) => `${value.toISOString().slice(0, 19)}Z`)],
    [microTime, date.map((value) => `${value.toISOString().slice(0, 23)}000Z`)],
    [intOrString, fc.oneof(fc.integer(), text)],
    [
      anything,
      fc
        .jsonValue()
        .filter((value) => value !== null)
        .map((value) => JSON.parse(JSON.stringify(value))),
    ],
    [{ ...list(string), protoMessage: 'strings' }, fc.array(text)],
  ];
  const leaf = fc.constantFrom(...leaves);
  type Pair = readonly [Schema, fc.Arbitrary<unknown>];
  const { node } = fc.letrec<{ node: Pair; object: Pair }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      leaf,
      leaf.map(([schema, value]): Pair => [list(schema), fc.array(value, { minLength: 1 })]),
      leaf.map(([schema, value]): Pair => [map(schema), dictionary(value)]),
      tie('object').map(([schema, value]): Pair => [list(schema), fc.array(value, { minLength: 1, maxLength: 3 })]),
      tie('object'),
    ),
    object: fc.dictionary(fc.stringMatching(/^f[a-z]{1,4}$/), tie('node'), { maxKeys: 5, noNullPrototype: true }).map(
      (properties): Pair => [
        {
          type: 'object',
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, [schema]], i) => [
              key,
              { schema, required: false, pointer: true as const, proto: i % 2 ? i + 1 : [20, i + 1] },
            ]),
          ),
        },
        fc.record(Object.fromEntries(Object.entries(properties).map(([key, [, value]]) => [key, value])), {
          requiredKeys: [],
          noNullPrototype: true,
        }),
      ],
    ),
  }));

  it('what is encoded decodes to the same, over random schemas', () => {
    const sample = node.chain(([schema, value]) => fc.tuple(fc.constant(schema), value));
    fc.assert(
      fc.property(sample, ([schema, value]) => {
        const outer: Schema = { type: 'object', properties: { field: { schema, required: true, proto: 1 } } };
        const object = { apiVersion: 'v1', kind: 'X', field: value };
        // Empty lists and maps leave no trace on the wire; `strings` messages and structs do.
        expect(decodeProtobuf(encodeProtobuf(object, outer), () => outer)).toEqual(object);
      }),
      { numRuns: 300 },
    );
  });

  it('any bytes are decoded or refused with ApiError', () => {
    const soup = fc.array(
      fc.oneof(fc.constantFrom(0x0a, 0x12, 0x08, 0x00, 0x01, 0x62, 0x72, 0x82, 0x8a), fc.nat(255)),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(soup, (numbers) => {
        try {
          decode(Buffer.from(numbers));
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });
});

it('carries the schema of a CRD through', () => {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'x' },
    spec: {
      group: 'g',
      scope: 'Namespaced',
      names: { plural: 'xs', kind: 'X' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                a: { type: 'array', items: { type: 'string', default: 'x', enum: ['x', 1] } },
                b: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
                c: { type: 'object', additionalProperties: true },
              },
            },
          },
        },
      ],
    },
  };
  const schema = CustomResourceDefinition.schema as Schema;
  expect(decodeProtobuf(encodeProtobuf(crd, schema), () => schema)).toEqual(crd);
});
