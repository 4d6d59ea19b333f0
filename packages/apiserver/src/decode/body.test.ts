import { ApiError } from '@vireo/api';
import { map, opt, string, struct } from '@vireo/api/schema.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeProtobuf } from '../protobuf/encode.ts';
import { decodeBody, unrecognizedBody } from './body.ts';
import { fieldWarnings } from './fieldValidation.ts';

const Thing = struct('Thing', '', { data: opt(1, map(string)) });
const decode = (text: string | Buffer, contentType = 'application/json', rules = {}) =>
  decodeBody({ bytes: Buffer.from(text), contentType }, () => Thing, rules);

describe('decodeBody', () => {
  it.each([
    ['application/json', '{"a":1}'],
    ['application/json; charset=utf-8', '{"a":1}'],
    ['Application/JSON;charset="UTF-8"', '{"a":1}'],
    ['', '{"a":1}'],
    ['application/yaml', 'a: 1\n'],
    ['application/yaml', '{"a":1}'],
    ['application/yaml', '{a: 1}'],
    ['application/yaml', '--- # one\na: 1\n...\n'],
    ['application/yaml', 'a: 1\n---\nb: 2\n'],
  ])('%s: %s', (contentType, text) => {
    expect(decode(text, contentType)).toMatchObject({ value: { a: 1 }, strictErrors: [] });
  });

  it('reads plain scalars of YAML as Kubernetes does', () => {
    const yaml = `
      true: [yes, Y, on, ON, true]
      false: [no, n, Off, False]
      number: [0777, -017, 0o17, 0b101, 0x1F, 1_000, +1, 0, 00, 0899, 1e3, 1_0.5, 7.]
      text: ["yes", '0777', 12:30:45, 2020-01-01, yess, 1.2.3, 0xg, 1 000]
      nothing: [~, null, Null]
    `;
    expect(decode(yaml, 'application/yaml').value).toEqual({
      true: [true, true, true, true, true],
      false: [false, false, false, false],
      number: [511, -15, 15, 5, 31, 1000, 1, 0, 0, 899, 1000, 10.5, 7],
      text: ['yes', '0777', '12:30:45', '2020-01-01', 'yess', '1.2.3', '0xg', '1 000'],
      nothing: [null, null, null],
    });
  });

  it('reads protobuf', () => {
    const object = { apiVersion: 'v1', kind: 'Thing', data: { a: 'b' } };
    expect(decode(encodeProtobuf(object, Thing), 'application/vnd.kubernetes.protobuf').value).toEqual(object);
  });

  it('hands over a value of the same process as it is', () => {
    const value = { a: 1 };
    expect(decodeBody({ value, contentType: '' }, () => undefined).value).toBe(value);
  });

  it('finds duplicate fields', () => {
    const json = '{"spec":{"x":1,"x":2}}';
    expect(decode(json)).toEqual({ value: { spec: { x: 2 } }, strictErrors: ['duplicate field "spec.x"'], json });
    expect(decode('a: 1\na: 2\nb: 1\nb: 2\n', 'application/yaml').strictErrors).toEqual([
      'yaml: unmarshal errors:\n  line 2: key "a" already set in map\n  line 4: key "b" already set in map',
    ]);
  });

  const deep = '['.repeat(1001) + ']'.repeat(1001);
  const laughs = `a0: &a0 [x,x,x,x,x,x,x,x,x]\n${[1, 2, 3, 4, 5, 6, 7, 8].map((i) => `a${i}: &a${i} [${new Array(9).fill(`*a${i - 1}`).join(',')}]\n`).join('')}`;
  it.each([
    ['malformed JSON', '{"a"', 'application/json', 400, "couldn't get version/kind; json parse error: "],
    [
      'an empty body',
      '',
      'application/json',
      400,
      "couldn't get version/kind; json parse error: unexpected end of JSON input",
    ],
    ['deep JSON', deep, 'application/json', 400, 'exceeded max depth'],
    ['deep YAML', deep, 'application/yaml', 400, 'exceeded max depth'],
    ['deep blocks of YAML', '- '.repeat(3000), 'application/yaml', 400, 'yaml: '],
    ['malformed YAML', 'a: [', 'application/yaml', 400, 'error converting YAML to JSON: yaml: '],
    ['an alias bomb', laughs, 'application/yaml', 400, 'yaml: Excessive alias count'],
    ['dense YAML', `[${'{},'.repeat(60_000)}]`, 'application/yaml', 400, 'send JSON instead'],
    ['an infinite number', 'a: .inf', 'application/yaml', 400, 'json: unsupported value: +Inf'],
    ['malformed protobuf', 'k8s\0xyz', 'application/vnd.kubernetes.protobuf', 400, 'proto: '],
    [
      'another media type',
      '<a/>',
      'application/xml',
      415,
      'accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    ['another charset', '{}', 'application/json;charset=utf-16', 415, 'accepted media types include'],
    ['too many bytes', `"${'x'.repeat(3 * 1024 * 1024)}"`, 'application/json', 413, 'limit is 3145728'],
    ['too much YAML', `a: ${'x'.repeat(1024 * 1024)}`, 'application/yaml', 413, 'limit is 524288'],
  ])('refuses %s', (_, text, contentType, code, message) => {
    expect(() => decode(text, contentType)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  it.each([
    ['{"a', `couldn't get version/kind; json parse error: unexpected end of JSON input ({"a)`],
    ['', "couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"],
    ['{a: 1}', `invalid character 'a' looking for beginning of object key string ({a: 1})`],
    [`{"a": '1'}`, `invalid character '\\'' looking for beginning of value ({"a": '1'})`],
    ['{"a": 1 "b"}', `invalid character '"' after object key:value pair ({"a": 1 "b"})`],
    ['{"a" 1}', `invalid character '1' after object key ({"a" 1})`],
    ['[1 2]', `invalid character '2' after array element (5b3120325d)`],
    ['{} {}', `invalid character '{' after top-level value ({} {})`],
    [
      '{"a": "x\ny", "b": "long enough"}',
      `invalid character '\\n' in string literal ({"a": "x\ny", "b": "long enough ...)`,
    ],
  ])('is said of %j with what was sent', (text, why) => {
    const body = { bytes: Buffer.from(text), contentType: 'application/json' };
    const refusal = () => {
      try {
        return decodeBody(body, () => undefined);
      } catch (error) {
        throw unrecognizedBody('Pod', (error as ApiError).message, body);
      }
    };
    expect(refusal).toThrow(why);
    expect(refusal).toThrow(
      /^the object provided is unrecognized \(must be of type Pod\): couldn't get version\/kind; /,
    );
  });

  it('refuses deep values of the same process', () => {
    expect(() => decodeBody({ value: JSON.parse(deep), contentType: '' }, () => undefined)).toThrow(
      /exceeded max depth/,
    );
  });

  it('law: any text is decoded or refused with ApiError', () => {
    const unit = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '-',
      ' ',
      '\n',
      'a',
      '1',
      '&a',
      '*a',
      '!',
      '|',
      '?',
      '<<',
      '\t',
      '#',
      '%',
    );
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 40 }),
        fc.constantFrom('application/json', 'application/yaml'),
        (text, type) => {
          try {
            decode(text, type);
          } catch (error) {
            if (!(error instanceof ApiError)) throw error;
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('fieldWarnings', () => {
  const errors = ['unknown field "spec.foo"', 'duplicate field "x"', 'duplicate field "x"'];
  it('refuses, warns or says nothing', () => {
    expect(() => fieldWarnings(errors, 'Strict')).toThrow(
      'strict decoding error: unknown field "spec.foo", duplicate field "x"',
    );
    expect(() => fieldWarnings(errors, 'Strict', { kind: 'Pod', version: 'v1' })).toThrow(
      /^Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.foo"/,
    );
    expect(fieldWarnings(errors, 'Warn')).toEqual(['unknown field "spec.foo"', 'duplicate field "x"']);
    expect(fieldWarnings(errors, 'Ignore')).toEqual([]);
    expect(fieldWarnings([], 'Strict')).toEqual([]);
    expect(
      fieldWarnings(
        Array.from({ length: 200 }, (_, i) => `unknown field "${i}"`),
        'Warn',
      ),
    ).toHaveLength(100);
    expect(fieldWarnings(['yaml: unmarshal errors:\n  line 1: one\n  line 2: two', 'x'], 'Warn')).toEqual([
      'line 1: one',
      'line 2: two',
      'x',
    ]);
  });
});
