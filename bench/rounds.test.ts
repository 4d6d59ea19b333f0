import { expect, it } from 'vitest';
import type { Result } from './report.ts';
import { median, percentile, resultsOf, rounds } from './rounds.ts';

it('takes turns, forgets the first round and reports medians', async () => {
  const calls: string[] = [];
  const contestant = (name: string, figures: number[]) => async () => {
    calls.push(name);
    return { rate: figures.shift()! };
  };
  const measured = await rounds(3, {
    ours: contestant('ours', [1000, 1, 5, 3]),
    theirs: contestant('theirs', [1000, 7, 9, 8]),
    absent: undefined,
  });
  expect(calls.join(' ')).toBe(Array(4).fill('ours theirs').join(' '));
  expect(measured).toEqual({ ours: { rate: 3 }, theirs: { rate: 8 } });
});

it('counts every round where nobody needs to warm up', async () => {
  const figures = [4, 2];
  expect(await rounds(2, { ours: async () => ({ ms: figures.shift()! }) }, { warmUp: false })).toEqual({
    ours: { ms: 2 },
  });
});

it('stops when the next round would not fit into the budget, but not before the first', async () => {
  let calls = 0;
  const ours = async () => ({ calls: ++calls });
  expect(await rounds(5, { ours }, { warmUp: false, budgetMs: -1 })).toEqual({ ours: { calls: 1 } });
});

const row = (value: number, baseline: number | null): Result => ({
  metric: 'gets',
  value,
  unit: 'per second',
  baseline,
  better: 'more',
});

it('says how far single rounds lie apart, each beside the baseline of the same round', async () => {
  const [ours, theirs] = [
    [2, 10, 4, 6, 8],
    [2, 5, 4, 3, 2],
  ];
  const measured = await rounds(
    5,
    { ours: async () => ({ rate: ours.shift()! }), theirs: async () => ({ rate: theirs.shift()! }) },
    { warmUp: false },
  );
  const results = resultsOf(measured, ({ ours: mine, theirs: other }) => [
    row(mine.rate, other.rate),
    row(mine.rate, null),
  ]);
  expect(results).toEqual([
    { ...row(6, 3), spread: { rounds: 5, value: [4, 8], ratio: [1, 2] } },
    { ...row(6, null), spread: { rounds: 5, value: [4, 8], ratio: null } },
  ]);
});

it('says nothing of that after a single round', async () => {
  const measured = await rounds(1, { ours: async () => ({ rate: 3 }) }, { warmUp: false });
  expect(resultsOf(measured, ({ ours }) => [row(ours.rate, null)])).toEqual([row(3, null)]);
});

it.each([
  [[1, 2, 3, 4], 50, 2],
  [[5, 1, 3], 50, 3],
  [Array.from({ length: 100 }, (_, i) => i + 1), 99, 99],
  [[7], 99, 7],
])('of %j the %i percentile is %d', (values, percent, expected) => {
  expect(percentile(values, percent)).toBe(expected);
});

it('has no median of nothing', () => {
  expect(median([])).toBeNaN();
});
