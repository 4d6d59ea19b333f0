import { expect, it } from 'vitest';
import { Canaries } from './canaries.ts';

it('finds a secret as it is, and as base64 among other things', () => {
  const canaries = new Canaries();
  const word = canaries.of('password');
  expect(canaries.of('password')).toBe(word);
  expect(canaries.in(`x ${word} y`)).toEqual(['password']);
  for (const before of ['', 'a', 'ab', 'abc', 'user:'])
    expect(canaries.in(Buffer.from(`${before}${word} and more`).toString('base64')), before).toEqual(['password']);
  expect(canaries.in('nothing of it')).toEqual([]);
});
