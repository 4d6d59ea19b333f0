import { expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

it.each([
  [0, 1, 50],
  [0, 0, 25],
  [1, 1, 100],
  [3, 1, 400],
  [10, 1, 5000],
  [10, 0, 2500],
  [100_000, 1, 5000],
])('waits longer with every failure, up to a limit: after %d, with luck %d, %d ms', (failures, random, expected) => {
  expect(backoffMs(failures, { initialMs: 50, maxMs: 5000 }, random)).toBe(expected);
});
