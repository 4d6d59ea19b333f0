import { expect, it } from 'vitest';
import { bytesOf, formatBytes } from './quantity.ts';

it.each([
  ['512Mi', '512 MiB'],
  ['1536Mi', '1.5 GiB'],
  ['2Gi', '2 GiB'],
  ['1G', '954 MiB'],
  ['0', '0 B'],
  ['1.5Gi', '1.5 GiB'],
])('%s reads %s', (quantity, text) => {
  expect(formatBytes(bytesOf(quantity) ?? Number.NaN)).toBe(text);
});

it.each([undefined, '', 'much', '-1Gi', '1Xi'])('%s is no size', (quantity) => {
  expect(bytesOf(quantity)).toBeUndefined();
});
