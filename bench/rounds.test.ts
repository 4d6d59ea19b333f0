import { expect, it } from 'vitest';
import { median, percentile, rounds } from './rounds.ts';

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
