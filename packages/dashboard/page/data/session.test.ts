import { expect, it } from 'vitest';
import { codeIn } from './session.ts';

it.each([
  ['#code=abc-_1', 'abc-_1'],
  ['#other=1&code=x', 'x'],
  ['#', undefined],
  ['', undefined],
])('the address with %s has the code %s', (hash, code) => {
  expect(codeIn(hash)).toBe(code);
});
