import { expect, it } from 'vitest';
import { mergePatchBetween } from './mergePatchBetween.ts';

it.each<[string, object, object, object | undefined]>([
  ['nothing differs', { a: 1, b: [1] }, { b: [1], a: 1 }, undefined],
  ['a field is new', {}, { a: 1 }, { a: 1 }],
  ['a field is gone', { a: 1 }, {}, { a: null }],
  ['a list differs', { a: [1, 2], b: 1 }, { a: [2], b: 1 }, { a: [2] }],
  ['an object lost a field', { a: { x: 1, y: 2 } }, { a: { y: 3 } }, { a: { x: null, y: 3 } }],
  [
    'an object in an object lost a field',
    { a: { b: { x: 1, y: 2 } } },
    { a: { b: { y: 2 } } },
    { a: { b: { x: null } } },
  ],
  ['an object became empty', { a: { x: 1 } }, { a: {} }, { a: { x: null } }],
  ['an empty object is new', {}, { a: {} }, { a: {} }],
  ['an undefined field is no field', { a: undefined }, {}, undefined],
  ['an undefined field of an object is no field', { a: { x: undefined } }, { a: {} }, undefined],
])('%s', (_, before, after, expected) => {
  expect(mergePatchBetween(before, after)).toEqual(expected);
});
