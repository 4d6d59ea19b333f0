import type { Schema } from '@vireo/api';
import { expect, it } from 'vitest';
import { decodeBody } from './body.ts';
import { customStrictErrors, typedStrictErrors } from './strictErrors.ts';

const anything: Schema = {};

const read = (text: string, contentType = 'application/json') =>
  decodeBody({ bytes: Buffer.from(text), contentType }, () => undefined);

it('errors in JSON of a built-in kind are reported in the order of its fields', () => {
  const body = read(`{
    "spec": {
      "unknownField": {"a": 1, "a": 2}, "replicas": 1, "template": {"unknown": 1, "x": {}},
      "replicas": 2, "unknownField": 2, "replicas": 3
    }
  }`);
  expect(typedStrictErrors(body, ['spec.unknownField', 'spec.template.unknown'], anything)).toEqual([
    'unknown field "spec.unknownField"',
    'unknown field "spec.template.unknown"',
    'duplicate field "spec.replicas"',
  ]);
});

it('an unknown field hides nothing of its neighbours', () => {
  const body = read('{"a": {"x": 1, "x": 2}, "ab": 1, "ab": 2, "c": [{"y": 1, "y": 2}]}');
  expect(typedStrictErrors(body, ['a'], anything)).toEqual([
    'unknown field "a"',
    'duplicate field "ab"',
    'duplicate field "c[0].y"',
  ]);
});

it('errors in YAML of a built-in kind are reported by repeated keys first, then by the names of unknown fields', () => {
  const body = read('zoo: 1\nspec:\n  b: 1\n  b: 2\n  list: []\n  a: 1\n', 'application/yaml');
  expect(typedStrictErrors(body, ['zoo', 'spec.list[10].x', 'spec.list[9].x', 'spec.a'], anything)).toEqual([
    'yaml: unmarshal errors:\n  line 4: key "b" already set in map',
    'unknown field "spec.a"',
    'unknown field "spec.list[9].x"',
    'unknown field "spec.list[10].x"',
    'unknown field "zoo"',
  ]);
});

it('errors in a custom resource are reported by repeated fields first, unknown ones included', () => {
  expect(customStrictErrors(read('{"unknown": 1, "x": 1, "unknown": 2, "x": 2}'), ['unknown'])).toEqual([
    'duplicate field "unknown"',
    'duplicate field "x"',
    'unknown field "unknown"',
  ]);
});

it('three MiB of repeated keys below 998 levels are two errors', () => {
  const deep = `${'{"a":'.repeat(998)}{${'"u":1,"d":1,'.repeat(250_000)}"b":1}${'}'.repeat(998)}`;
  const path = `${'a.'.repeat(998)}`;
  expect(typedStrictErrors(read(deep), [`${path}u`], anything)).toEqual([
    `unknown field "${path}u"`,
    `duplicate field "${path}d"`,
  ]);
});
