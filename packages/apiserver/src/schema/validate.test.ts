import type { Schema } from '@vireo/api';
import { boolean, int32, intOrString, list, map, opt, req, string, struct } from '@vireo/api/schema.ts';
import { describe, expect, it } from 'vitest';
import { validateSchema, validateSchemaUpdate } from './validate.ts';

const texts = (value: unknown, schema: Schema) =>
  validateSchema({ spec: value }, struct('X', '', { spec: opt(1, schema) })).map((e) => `${e.field}: ${e.text}`);

const object = (fields: Record<string, Schema>, extra?: Partial<Schema>): Schema =>
  struct('O', '', Object.fromEntries(Object.entries(fields).map(([key, schema]) => [key, opt(1, schema)])), extra);

describe('validateSchema', () => {
  it('says no more of a wrong object than somebody reads', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `word ${i}`);
    const lists = texts(
      words.map(() => 'x'),
      list({ type: 'string', enum: words }),
    );
    expect(lists.length).toBeLessThan(10);
    const ways = texts('x'.repeat(500_000), { type: 'string', allOf: words.map((pattern) => ({ pattern })) });
    expect(ways.length).toBeLessThan(10);
  });

  const cases: [string, Schema, unknown, string[]][] = [
    [
      'type',
      object({ x: int32 }),
      { x: 'a' },
      ['spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"'],
    ],
    [
      'integers',
      { type: 'integer' },
      1.5,
      [
        'spec: Invalid value: "number": spec in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec',
      ],
    ],
    [
      'integers of a format',
      int32,
      1.5,
      [
        'spec: Invalid value: "float64": spec in body must be of type int32: "float64"',
        '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec',
      ],
    ],
    ['integers are numbers', { type: 'number' }, 1, []],
    [
      'int32',
      object({ n: { type: 'integer', format: 'int32', maximum: 10, enum: [1] } }),
      { n: 3_000_000_000 },
      [
        'spec.n: Unsupported value: 3000000000: supported values: "1"',
        '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.n',
        'spec.n: Invalid value: 3000000000: spec.n in body should be less than or equal to 10',
      ],
    ],
    ['the ends of int32', list(int32), [-(2 ** 31), 2 ** 31 - 1], []],
    [
      'beyond the ends of int32',
      list(int32),
      [-(2 ** 31) - 1, 2 ** 31],
      [0, 1].map(
        (i) => `<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec[${i}]`,
      ),
    ],
    [
      'beyond int64',
      { type: 'integer', format: 'int64' },
      2 ** 63,
      [
        'spec: Invalid value: "float64": spec in body must be of type int64: "float64"',
        '<nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec',
      ],
    ],
    [
      'float',
      { type: 'number', format: 'float' },
      1e39,
      ['<nil>: Invalid value: "": Checked value must be of type number with format float in spec'],
    ],
    ['double', { type: 'number', format: 'double' }, 1e39, []],
    ['a format of another type', { type: 'number', format: 'int32' }, 1e39, []],
    [
      'integers that would be rounded',
      { type: 'integer' },
      2 ** 60,
      [
        'spec: Invalid value: 1152921504606847000: spec in body should be between -9007199254740991 and 9007199254740991',
      ],
    ],
    ['nanoseconds', { type: 'integer', format: 'int64' }, 1794792935599000000, []],
    ['null', string, null, ['spec: Invalid value: "null": spec in body must be of type string: "null"']],
    ['nullable', { type: 'string', nullable: true, minLength: 1 }, null, []],
    [
      'nullable, but none of the values',
      { type: 'string', nullable: true, enum: ['a'] },
      null,
      ['spec: Unsupported value: null: supported values: "a"'],
    ],
    ['any value', { preserveUnknownFields: true }, null, []],
    [
      'a text with a format',
      { type: 'string', format: 'date' },
      1,
      ['spec: Invalid value: "int64": spec in body must be of type date: "int64"'],
    ],
    [
      'an object for a text with a format',
      { type: 'string', format: 'date' },
      {},
      ['spec: Invalid value: "": spec in body must be of type date: ""'],
    ],
    ['a list for a text with a format', { type: 'string', format: 'date' }, ['x'], []],
    [
      'a list for a text with a format that is not checked',
      { type: 'string', format: 'quantity' },
      ['x'],
      ['spec: Invalid value: "array": spec in body must be of type string: "array"'],
    ],
    [
      'the type and the value',
      { type: 'string', enum: ['a'] },
      true,
      [
        'spec: Invalid value: "boolean": spec in body must be of type string: "boolean"',
        'spec: Unsupported value: true: supported values: "a"',
      ],
    ],
    ['enum of integers: fractions are cut off', { type: 'number', enum: [1] }, 1.5, []],
    ['enum of texts: integers are characters', { intOrString: true, enum: ['x'] }, 120, []],
    ['boolean', boolean, 'true', ['spec: Invalid value: "string": spec in body must be of type boolean: "string"']],
    [
      'minimum',
      { type: 'integer', minimum: 1 },
      0,
      ['spec: Invalid value: 0: spec in body should be greater than or equal to 1'],
    ],
    [
      'exclusive minimum',
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      1,
      ['spec: Invalid value: 1: spec in body should be greater than 1'],
    ],
    [
      'maximum',
      { type: 'integer', maximum: 1 },
      2,
      ['spec: Invalid value: 2: spec in body should be less than or equal to 1'],
    ],
    [
      'multipleOf',
      { type: 'integer', multipleOf: 2 },
      3,
      ['spec: Invalid value: 3: spec in body should be a multiple of 2'],
    ],
    [
      'a large number that is no multiple',
      { type: 'integer', multipleOf: 2 },
      99999999999,
      ['spec: Invalid value: 99999999999: spec in body should be a multiple of 2'],
    ],
    ['required', struct('R', '', { x: req(1, string) }), {}, ['spec.x: Required value']],
    [
      'a long enum',
      { type: 'object', enum: Array.from({ length: 100 }, (_, a) => ({ a, b: 1 })) },
      { b: 1, a: 99 },
      [],
    ],
    ['enum', { type: 'string', enum: ['a', 'b'] }, 'c', ['spec: Unsupported value: "c": supported values: "a", "b"']],
    [
      'pattern',
      { type: 'string', pattern: '^[a-z]+$' },
      'A',
      [`spec: Invalid value: "A": spec in body should match '^[a-z]+$'`],
    ],
    [
      'minLength',
      { type: 'string', minLength: 2 },
      '😀',
      ['spec: Invalid value: "😀": spec in body should be at least 2 chars long'],
    ],
    ['maxLength', { type: 'string', maxLength: 1 }, 'ab', ['spec: Too long: may not be more than 1 byte']],
    [
      'format',
      { type: 'string', format: 'date-time' },
      'now',
      ['spec: Invalid value: "now": spec in body must be of type date-time: "now"'],
    ],
    [
      'minItems',
      { type: 'array', minItems: 1 },
      [],
      ['spec: Invalid value: 0: spec in body should have at least 1 items'],
    ],
    ['maxItems', { type: 'array', maxItems: 1 }, [1, 2], ['spec: Too many: 2: must have at most 1 item']],
    [
      'items',
      list(object({ x: int32 })),
      [{}, { x: '' }],
      ['spec[1].x: Invalid value: "string": spec[1].x in body must be of type integer: "string"'],
    ],
    [
      'maxProperties',
      { type: 'object', maxProperties: 1 },
      { a: 1, b: 1 },
      ['spec: Too many: 2: must have at most 1 item'],
    ],
    [
      'map values',
      map(int32),
      { a: 'b' },
      ['spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"'],
    ],
    [
      'uniqueItems',
      { type: 'array', uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [`spec: Invalid value: "": spec in body shouldn't contain duplicates`],
    ],
    ['int or string: both', list(intOrString), [1, '50%'], []],
    [
      'int or string: neither',
      intOrString,
      true,
      ['spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"'],
    ],
    [
      'not',
      { not: { type: 'string', enum: ['a'] } },
      'a',
      ['<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
    ],
    [
      'anyOf: the alternative that fits best is explained',
      { anyOf: [{ minimum: 5 }, { type: 'string' }] },
      1,
      [
        '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
        'spec: Invalid value: "integer": spec in body must be of type string: "integer"',
      ],
    ],
    [
      'anyOf: the first of those that fit equally',
      { anyOf: [{ minimum: 5 }, { minimum: 6 }] },
      1,
      [
        '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
        'spec: Invalid value: 1: spec in body should be greater than or equal to 5',
      ],
    ],
    ['anyOf that fits', { anyOf: [{ minimum: 5 }, { type: 'string' }] }, 'x', []],
    [
      'oneOf: two',
      { oneOf: [{ minimum: 0 }, { minimum: 1 }] },
      1,
      ['<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      'allOf',
      { allOf: [{ minimum: 0 }, { maximum: 1 }] },
      2,
      [
        'spec: Invalid value: 2: spec in body should be less than or equal to 1',
        '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)',
      ],
    ],
    [
      'allOf: none',
      { allOf: [{ minimum: 3 }, { maximum: 1 }] },
      2,
      [
        'spec: Invalid value: 2: spec in body should be greater than or equal to 3',
        'spec: Invalid value: 2: spec in body should be less than or equal to 1',
        '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated',
      ],
    ],
    [
      'bounds of integers are integers',
      { type: 'number', maximum: 2.5 },
      3,
      ['spec: Invalid value: 3: spec in body should be less than or equal to 2'],
    ],
    [
      'fractions',
      { type: 'number', multipleOf: 0.1 },
      0.25,
      ['spec: Invalid value: 0.25: spec in body should be a multiple of 0.1'],
    ],
    ['fractions that calculating loses', { type: 'number', multipleOf: 0.1 }, 0.3, []],
    [
      'a factor that is none for integers',
      { type: 'number', multipleOf: 0.5 },
      1,
      ['spec: Invalid value: 0: factor MultipleOf declared for spec must be positive: 0'],
    ],
    ['names of Object.prototype', object({ x: int32 }), JSON.parse('{"constructor":1,"__proto__":2}'), []],
  ];
  it.each(cases)('%s', (_, schema, value, expected) => {
    expect(texts(value, schema)).toEqual(expected);
  });

  it('stops counting after a hundred errors', () => {
    expect(validateSchema(new Array(100_000).fill('x'), list(int32))).toHaveLength(100);
  });

  it.each([
    ['cidr', ['10.0.0.0/8', 'fd00::/64'], ['10.0.0.0', '10.0.0.0/33', 'x/1']],
    ['date', ['2024-02-29'], ['2023-02-29', '2024-2-9']],
    [
      'date-time',
      ['2024-02-29T12:00:00Z', '2024-02-29t12:00:00.5+01:00'],
      ['2024-02-30T12:00:00Z', '2024-02-29 12:00:00Z'],
    ],
    ['duration', ['1h30m', '0', '1.5s'], ['1', 'h', '']],
    ['email', ['a@example.com'], ['a', '@b', 'a b@c']],
    ['hostname', ['a.example.com', '3.example', 'bücher.example'], ['-a', 'a..b', '', 'a_b', 'a.']],
    ['ipv4', ['1.2.3.4'], ['1.2.3', '::1']],
    ['ipv6', ['::1'], ['1.2.3.4']],
    ['mac', ['00:11:22:33:44:55', '0011.2233.4455'], ['00:11:22:33:44', '00:11-22:33:44:55']],
    ['uri', ['https://x/y', '/relative'], ['x y']],
    ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123']],
    ['byte', ['aGk=', 'aGkh'], ['aGk', '!', '']],
    ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['507f1f77']],
    ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112', '1']],
    ['datetime', ['2024-02-29T12:00:00Z'], ['2024-02-29']],
    ['hexcolor', ['#FFFFFF', 'abc'], ['#ff', 'red']],
    ['ip', ['anything: not a format of Kubernetes'], []],
    ['isbn', ['0321751043', '978-0321751041'], ['0321751044']],
    ['isbn10', ['0321751043', '080442957X'], ['978-0321751041']],
    ['isbn13', ['978-0321751041'], ['978-0321751042', '0321751043']],
    ['k8s-long-name', ['a.b-c'], ['A', 'a_b', '']],
    ['k8s-short-name', ['a-b'], ['a.b', '-a']],
    ['password', ['anything'], []],
    ['quantity', ['ten: only built-in kinds have quantities'], []],
    ['rgbcolor', ['rgb(255,0,0)'], ['rgb(256,0,0)']],
    ['ssn', ['111-11-1111'], ['11-11-1111']],
    ['uuid3', ['123e4567-e89b-32d3-0456-426614174000'], ['123e4567-e89b-42d3-a456-426614174000']],
    ['uuid4', ['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-42d3-0456-426614174000']],
    ['uuid5', ['123E4567-E89B-52D3-B456-426614174000'], ['123e4567-e89b-42d3-a456-426614174000']],
    ['anything-else', ['x'], []],
  ])('format %s', (format, good, bad) => {
    for (const text of good) expect(texts(text, { type: 'string', format })).toEqual([]);
    for (const text of bad) expect(texts(text, { type: 'string', format }), text).not.toEqual([]);
  });
});

it('errors of a value elsewhere have its path, but call fields by theirs', () => {
  const schema = object({ a: string, n: int32 });
  expect(validateSchema({ a: 1, n: 2 ** 31 }, schema, 'status').map((e) => `${e.field}: ${e.text}`)).toEqual([
    'status.a: Invalid value: "integer": a in body must be of type string: "integer"',
    'status: Invalid value: "": Checked value must be of type integer with format int32 in n',
  ]);
});

describe('an update under a schema that has become stricter', () => {
  const short: Schema = { type: 'string', maxLength: 3 };
  const disk = struct('Disk', '', { name: req(1, string), bus: opt(2, short) });
  const schema = object({
    name: short,
    size: { type: 'integer', maximum: 5 },
    tags: { type: 'array', items: short },
    disks: { type: 'array', items: disk, listType: 'map', listMapKeys: ['name'] },
    labels: { type: 'object', values: short },
    machine: struct('Machine', '', { arch: req(1, string), cpu: opt(2, string) }),
  });
  const old = {
    name: 'too long',
    size: 3,
    tags: ['too long', 'b'],
    disks: [{ name: 'a', bus: 'too long' }],
    labels: { a: 'too long' },
    machine: { cpu: 'x' },
  };
  it.each<[string, object, string[]]>([
    ['of another field', { size: 4 }, []],
    ['to what is wrong in another way', { name: 'longer' }, ['spec.name']],
    ['that makes another field wrong', { size: 6 }, ['spec.size']],
    ['of a list without keys', { tags: ['too long', 'c'] }, ['spec.tags[0]']],
    ['that moves an element with a key', { disks: [{ name: 'b' }, { name: 'a', bus: 'too long' }] }, []],
    ['that copies a wrong element', { disks: [{ name: 'b', bus: 'too long' }] }, ['spec.disks[0].bus']],
    ['that adds a member of a map', { labels: { a: 'too long', b: 'ok' } }, []],
    ['that adds a wrong member', { labels: { a: 'too long', b: 'too long' } }, ['spec.labels.b']],
    ['of an object that lacks a required field', { machine: { cpu: 'y' } }, ['spec.machine.arch']],
    ['of the type', { name: 1 }, ['spec.name']],
  ])('%s', (_, change, refused) => {
    const root = struct('X', '', { spec: opt(1, schema) });
    const errors = validateSchemaUpdate({ spec: { ...old, ...change } }, { spec: old }, root);
    expect(errors.map(({ field }) => field)).toEqual(refused);
  });
});
