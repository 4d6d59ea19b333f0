import { expect, it } from 'vitest';
import { formatGoDuration, parseDuration } from './duration.ts';

it.each([
  ['0', 0],
  ['0s', 0],
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['100ms', 100],
  ['1500us', 1.5],
  ['2h0m0s', 7_200_000],
  ['-5m', -300_000],
])('%s is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each(['3000000h', '', '-', '5', 'h', '5 m', '5m ', '1d', 'five', '1h-5m', '1e3s'])('%j is none', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

it.each([
  [0, '0s'],
  [0.2, '0s'],
  [20, '20ms'],
  [-1500, '-1.5s'],
  [15_000, '15s'],
  [60_000, '1m0s'],
  [90_500, '1m30.5s'],
  [3_600_000, '1h0m0s'],
])('%d ms are %s to Go', (ms, text) => {
  expect(formatGoDuration(ms)).toBe(text);
});
