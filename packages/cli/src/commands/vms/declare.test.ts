import { expect, it } from 'vitest';
import { parseSeconds } from './declare.ts';

it.each([
  ['0', 0],
  ['300', 300],
  ['300s', 300],
  ['5m', 300],
  ['1m30s', 90],
  ['1h', 3_600],
  // The longest that a timer takes.
  ['99999999', 2_147_483],
])('a timeout of %s is %d seconds', (text, seconds) => {
  expect(parseSeconds(text)).toBe(seconds);
});

it.each(['-1', '', '5 m', '1d', '1.5', 'm', '5m-'])('a timeout of %j is rejected', (text) => {
  expect(() => parseSeconds(text)).toThrow('Expected a number of seconds, or a duration such as 30s, 5m or 1h.');
});
