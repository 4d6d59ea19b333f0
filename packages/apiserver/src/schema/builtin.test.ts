import { ApiError } from '@vireo/api';
import { deepFreeze } from '@vireo/api/json.ts';
import { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { objectFields } from '@vireo/api/meta.ts';
import {
  anyObject,
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
  string,
  struct,
  time,
} from '@vireo/api/schema.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBuiltin } from './builtin.ts';

const Container = struct('io.k8s.api.core.v1.Container', '', {
  name: req(1, string),
  limits: opt(2, map(quantity)),
  port: opt(3, intOrString),
});
const PodSpec = struct('io.k8s.api.core.v1.PodSpec', '', {
  containers: req(1, list(Container)),
  grace: opt(2, int64),
  priority: opt(3, int32),
  hostNetwork: opt(4, boolean, { pointer: true }),
  hostPID: opt(11, boolean),
  weight: opt(5, double),
  secret: opt(6, bytes),
  free: opt(7, anyObject),
  since: opt(8, microTime),
  selector: opt(9, map(string)),
  until: opt(10, time),
});
const Pod = struct('io.k8s.api.core.v1.Pod', '', { ...objectFields, spec: opt(2, PodSpec) });
const decode = (value: unknown) => decodeBuiltin(deepFreeze(value), { kind: 'Pod', version: 'v1', schema: Pod });
const spec = (value: unknown) => decode({ spec: value }).object.spec;

describe('decodeBuiltin', () => {
  it('drops unknown fields and says where they were', () => {
    const { object, unknownFields } = decode({
      kind: 'Pod',
      foo: 1,
      spec: { Containers: [], containers: [{ name: 'a', x: 1 }] },
    });
    expect(object).toEqual({ kind: 'Pod', spec: { containers: [{ name: 'a' }] } });
    expect(unknownFields).toEqual(['foo', 'spec.Containers', 'spec.containers[0].x']);
  });

  it.each([
    ['null is absent', { grace: null, containers: null }, {}],
    [
      'maps without entries are absent',
      { selector: {}, containers: [{ name: 'a', limits: {} }] },
      { containers: [{ name: 'a' }] },
    ],
    ['lists that are always written stay', { containers: [] }, { containers: [] }],
    [
      'null elements are zero values',
      { containers: [null], selector: { a: null } },
      { containers: [{}], selector: { a: '' } },
    ],
    [
      'quantities are canonical',
      { containers: [{ limits: { cpu: '0.5', memory: '1024Mi', gpu: 1 } }] },
      { containers: [{ limits: { cpu: '500m', memory: '1Gi', gpu: '1' } }] },
    ],
    ['times are UTC seconds', { until: '2024-01-02T03:04:05.678+01:00' }, { until: '2024-01-02T02:04:05Z' }],
    ['micro times have six digits', { since: '2024-01-02T03:04:05.5Z' }, { since: '2024-01-02T03:04:05.500000Z' }],
    ['int or string', { containers: [{ port: 1 }, { port: 'http' }] }, { containers: [{ port: 1 }, { port: 'http' }] }],
    ['base64 without line breaks', { secret: 'aGVs\nbG8=' }, { secret: 'aGVsbG8=' }],
    ['free-form values stay as they are', { free: { a: null, b: [1.5] } }, { free: { a: null, b: [1.5] } }],
    [
      'numbers',
      { weight: 1.5, grace: -1, priority: 2147483647, hostNetwork: false },
      { weight: 1.5, grace: -1, priority: 2147483647, hostNetwork: false },
    ],
  ])('%s', (_, value, expected) => {
    expect(spec(value)).toEqual(expected);
  });

  it.each([
    [
      { containers: 'x' },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      { containers: [{ name: 1 }] },
      'json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
    ],
    [{ priority: 1.5 }, 'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32'],
    [
      { priority: 2 ** 31 },
      'json: cannot unmarshal number 2147483648 into Go struct field PodSpec.spec.priority of type int32',
    ],
    [
      { grace: 2 ** 60 },
      'json: cannot unmarshal number 1152921504606847000 into Go struct field PodSpec.spec.grace of type int64',
    ],
    [
      { hostNetwork: 'true' },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool',
    ],
    [
      { selector: { a: {} } },
      'json: cannot unmarshal object into Go struct field PodSpec.spec.selector of type string',
    ],
    [
      { containers: [{ limits: { cpu: 'x' } }] },
      `spec.containers[0].limits.cpu: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
    ],
    [{ secret: 'a' }, 'spec.secret: illegal base64 data at input byte 1'],
    [{ until: 'now' }, 'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"'],
  ])('refuses %j', (value, why) => {
    expect(() => spec(value)).toThrow(
      expect.objectContaining({ code: 400, message: `Pod in version "v1" cannot be handled as a Pod: ${why}` }),
    );
  });

  it('reads schemas inside schemas', () => {
    const read = (schema: unknown) => decodeBuiltin(schema, { kind: 'X', version: 'v1', schema: JSONSchemaProps });
    const good = {
      items: { type: 'string' },
      additionalProperties: true,
      properties: { a: { items: [{ type: 'object' }] } },
    };
    expect(read(good)).toEqual({ object: good, unknownFields: [] });
    expect(read({ properties: { a: { foo: 1 } } }).unknownFields).toEqual(['properties.a.foo']);
    // Go reads these by code that is never strict.
    expect(read({ items: { foo: 1 }, additionalProperties: { foo: 1 } })).toEqual({
      object: { items: {}, additionalProperties: {} },
      unknownFields: [],
    });
    expect(() => read({ items: { type: 5 } })).toThrow(
      /cannot unmarshal number into Go struct field JSONSchemaProps.items.type of type string/,
    );
    expect(() => read({ additionalProperties: 'x' })).toThrow(
      /cannot unmarshal string into Go struct field .*additionalProperties of type bool/,
    );
  });

  it('refuses what is no object', () => {
    expect(() => decode([])).toThrow(/json: cannot unmarshal array into Go value of type v1.Pod/);
  });

  it('keeps a map key called __proto__', () => {
    const selector = spec({ selector: JSON.parse('{"__proto__":"x"}') }) as { selector: object };
    expect(Object.entries(selector.selector)).toEqual([['__proto__', 'x']]);
  });

  it('law: any JSON is decoded or refused with ApiError, and decoding again changes nothing', () => {
    const key = fc.constantFrom(...Object.keys(PodSpec.properties), 'name', 'limits', 'port', 'unknown', '__proto__');
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('1', 'x', 1, 1.5, null, true),
        fc.array(tie('value')),
        fc.dictionary(key, tie('value'), { noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(value, (input) => {
        try {
          const { object } = decode({ spec: input });
          expect(decode(object)).toEqual({ object, unknownFields: [] });
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
        }
      }),
      { numRuns: 500 },
    );
  });
});
