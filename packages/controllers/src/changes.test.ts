import { expect, it } from 'vitest';
import { changes } from './changes.ts';

it.each<[string, object, object, object | undefined]>([
  ['nothing differs', { a: 1, b: [1] }, { b: [1], a: 1 }, undefined],
  ['a field is new', {}, { a: 1 }, { a: 1 }],
  ['a field is gone', { a: 1 }, {}, { a: null }],
  ['a list differs', { a: [1, 2], b: 1 }, { a: [2], b: 1 }, { a: [2] }],
  ['an object lost a field', { a: { x: 1, y: 2 } }, { a: { y: 3 } }, { a: { x: null, y: 3 } }],
  ['an undefined field is no field', { a: undefined }, {}, undefined],
])('%s', (_, before, after, expected) => {
  expect(changes(before, after)).toEqual(expected);
});
