import { expect, test } from 'vitest';
import { horizon } from './horizon.ts';

const marks = [
  { atMs: 0, revision: 1 },
  { atMs: 300, revision: 40 },
  { atMs: 600, revision: 90 },
];

test.each([
  { nowMs: 250, historyMs: 300, revision: undefined, why: 'nothing is old enough' },
  { nowMs: 300, historyMs: 300, revision: 1, why: 'the first mark just is' },
  { nowMs: 899, historyMs: 300, revision: 40, why: 'the newest of those that are' },
  { nowMs: 600, historyMs: 0, revision: 90, why: 'no history is asked for' },
])('at $nowMs with $historyMs of history: $revision, because $why', ({ nowMs, historyMs, revision }) => {
  expect(horizon(marks, nowMs, historyMs)?.revision).toBe(revision);
});
