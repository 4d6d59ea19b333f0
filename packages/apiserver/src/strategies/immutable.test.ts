import { describe, expect, test } from 'vitest';
import { texts } from '../testing/strategies.ts';
import { differences, immutable, restore, sameValue } from './immutable.ts';

describe('two values are the same', () => {
  test.each<[unknown, unknown, boolean]>([
    [{ a: 1 }, { a: 1, b: undefined, c: [], d: {} }, true],
    [{ a: null }, {}, true],
    [{ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, true],
    [[1, 2], [2, 1], false],
    [0, undefined, false],
    ['', undefined, false],
  ])('%j and %j: %s', (a, b, expected) => {
    expect(sameValue(a, b)).toBe(expected);
  });
});

test('a changed field is named with its new value', () => {
  expect(texts(immutable('spec.selector', { a: 1 }, { a: 2 }))).toEqual([
    'spec.selector: Invalid value: {"a":1}: field is immutable',
  ]);
  expect(texts(immutable('spec.selector', undefined, { a: 2 }))).toEqual([
    'spec.selector: Invalid value: null: field is immutable',
  ]);
  expect(immutable('spec.selector', { a: 1 }, { a: 1 })).toEqual([]);
});

test('differences are reported leaf by leaf, lists of other length as a whole', () => {
  expect(differences('spec', { a: 1, b: [1, 2], c: ['x'], d: 'same' }, { a: 2, b: [1, 3], c: [], d: 'same' })).toEqual([
    'spec.a: 2 -> 1',
    'spec.b[1]: 3 -> 2',
    'spec.c: [] -> ["x"]',
  ]);
});

test('a part that was not there is taken away', () => {
  const draft: { spec?: number; status?: number } = { spec: 1, status: 1 };
  restore(draft, { spec: 2 }, 'spec', 'status');
  expect(draft).toEqual({ spec: 2 });
  expect('status' in draft).toBe(false);
});
