import type { Schema } from '@vireo/api';
import { int32, list, map, opt, string, struct } from '@vireo/api/schema.ts';
import { expect, it } from 'vitest';
import { listTypeErrors, listTypeUpdateErrors } from './listTypes.ts';

const entry = struct('Entry', '', { k: opt(1, string), l: opt(2, string) });
const root = (schema: Schema): Schema => struct('X', '', { spec: opt(1, schema) });
const texts = (value: unknown, schema: Schema) =>
  listTypeErrors({ spec: value }, root(schema)).map((e) => `${e.field}: ${e.text}`);

it.each<[string, Schema, unknown, string[]]>([
  ['a set', list(string, 'set'), ['a', 'b'], []],
  ['an element twice, or more often', list(string, 'set'), ['a', 'a', 'a', 'b'], ['spec[1]: Duplicate value: "a"']],
  ['numbers and texts', list(string, 'set'), [1, '1'], []],
  [
    'objects',
    list(string, 'set'),
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    ['spec[1]: Duplicate value: {"b":2,"a":1}'],
  ],
  ['a set in a map', map(list(int32, 'set')), { m: [1, 1] }, ['spec[m][1]: Duplicate value: 1']],
  ['a list without a type', list(string), ['a', 'a'], []],
  [
    'keys',
    list(entry, ['k']),
    [
      { k: 'a', l: '1' },
      { k: 'a', l: '2' },
    ],
    ['spec[1]: Duplicate value: {"k":"a"}'],
  ],
  ['keys that are missing', list(entry, ['k']), [{ l: 'a' }, null], ['spec[1]: Duplicate value: {}']],
  [
    'two keys',
    list(entry, ['l', 'k']),
    [
      { k: 'a', l: 'b' },
      { l: 'b', k: 'a' },
    ],
    ['spec[1]: Duplicate value: {"k":"a","l":"b"}'],
  ],
  [
    'other than objects',
    list(entry, ['k']),
    [{ k: 'a' }, 'x', 1, { k: 'a' }],
    ['spec[1]: Invalid value: "x": must be an object for an array of list-type map'],
  ],
])('%s', (_, schema, value, expected) => {
  expect(texts(value, schema)).toEqual(expected);
});

it('an update is refused for duplicates unless there were some before', () => {
  const schema = root(list(string, 'set'));
  const twice = { spec: ['a', 'a'] };
  expect(listTypeUpdateErrors(twice, { spec: ['a'] }, schema)).toHaveLength(1);
  expect(listTypeUpdateErrors(twice, { spec: ['b', 'b'] }, schema)).toEqual([]);
});
