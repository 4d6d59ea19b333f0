import { expect, it } from 'vitest';
import { chart } from './chart.ts';
import type { Result } from './report.ts';

const result = (metric: string, value: number, more: Partial<Result> = {}): Result => ({
  metric,
  value,
  unit: 'ms',
  baseline: 100,
  better: 'less',
  ...more,
});
/** The numbers beside the bars, in order. */
const gains = (svg: string): string[] => [...svg.matchAll(/>([\d.]+)×</g)].map(([, number = '']) => number);
const fills = (svg: string): string[] => [...svg.matchAll(/height="16" fill="(#\w+)"/g)].map(([, fill = '']) => fill);

it('draws how many times as good as the baseline a figure is, whichever way is up', () => {
  const svg = chart('times', [result('half the time', 50), result('half the rate', 50, { better: 'more' })]);
  expect(gains(svg)).toEqual(['2.00', '0.50']);
});

it('leaves out what has no baseline', () => {
  expect(gains(chart('sizes', [result('alone', 5, { baseline: null }), result('nothing', 0)]))).toEqual([]);
});

it('shows whether an aim was met', () => {
  const aim = { of: 'ratio', bound: 1.2 } as const;
  const [met, missed, none] = fills(
    chart('aims', [result('a', 110, { aim }), result('b', 130, { aim }), result('c', 130)]),
  );
  expect(new Set([met, missed, none]).size).toBe(3);
  expect(none).toBeDefined();
});

it('draws how far rounds lie apart', () => {
  const spread = { rounds: 3, value: [40, 200], ratio: [0.5, 2] } as const;
  const lines = (svg: string): number[] =>
    [...svg.matchAll(/<line x1="(\d+)"[^>]*stroke-opacity/g)].map(([, at]) => Number(at));
  expect(lines(chart('calm', [result('a', 100)]))).toEqual([]);
  const [from, left, right] = lines(chart('wild', [result('a', 100, { spread })]));
  expect(from).toBe(left);
  // Half as good and twice as good are equally far from the middle.
  const middle = Number(/<line x1="(\d+)"[^>]*stroke="#444"/.exec(chart('wild', [result('a', 100)]))?.[1]);
  expect(middle - left!).toBeCloseTo(right! - middle, -1);
  expect(right).toBeGreaterThan(left!);
});

it('takes names as data', () => {
  expect(chart('<b>', [result('a & "b"', 1)])).not.toMatch(/<b>|& /);
});

it('cuts off what is far away, inside the picture', () => {
  const svg = chart('far', [result('slow', 1e6), result('fast', 1e-3)]);
  for (const [, x = ''] of svg.matchAll(/ x="(-?\d+)"/g)) {
    expect(Number(x)).toBeGreaterThanOrEqual(0);
    expect(Number(x)).toBeLessThanOrEqual(900);
  }
});
