import { expect, it } from 'vitest';
import { type Result, reaches, toJson, toTable } from './report.ts';

const rate: Result = { metric: 'gets, vs bare', value: 750, unit: 'per second', baseline: 1000, better: 'more' };
const time: Result = { metric: 'start', value: 1234.5678, unit: 'ms', baseline: null, better: 'less' };

it('writes exactly the fields that programs expect', () => {
  expect(toJson('apiserver', [rate, { ...time, aim: { of: 'value', bound: 1 } }])).toEqual({
    name: 'apiserver',
    results: [
      { metric: 'gets, vs bare', value: 750, unit: 'per second', baseline: 1000, ratio: 0.75 },
      { metric: 'start', value: 1235, unit: 'ms', baseline: null, ratio: null },
    ],
  });
});

it('has the spread where there were several rounds', () => {
  const spread = { rounds: 3, value: [700, 801.2345], ratio: [0.7, 0.812345] } as const;
  const [{ spread: written } = {}] = toJson('x', [{ ...rate, spread }]).results;
  expect(written).toEqual({ rounds: 3, value: [700, 801.2], ratio: [0.7, 0.8123] });
  const lines = toTable([
    { ...rate, spread },
    { ...time, spread: { ...spread, ratio: null } },
  ]).split('\n');
  expect(lines[2]).toContain('  0.75  0.70 – 0.81  more');
  expect(lines[3]).toContain('     –    700 – 801  less');
});

it('has no ratio to nothing', () => {
  expect(toJson('x', [{ ...rate, baseline: 0 }]).results[0]).toMatchObject({ baseline: 0, ratio: null });
});

it.each([
  [{ of: 'ratio', bound: 0.7 }, rate, true],
  [{ of: 'ratio', bound: 0.8 }, rate, false],
  [{ of: 'value', bound: 700 }, rate, true],
  [{ of: 'value', bound: 2000 }, time, true],
  [{ of: 'value', bound: 1000 }, time, false],
  [{ of: 'ratio', bound: 1 }, time, false],
] as const)('an aim of %j', (aim, result, isReached) => {
  expect(reaches(aim, result)).toBe(isReached);
});

it('prints a table whose columns line up, and says what the ratios mean', () => {
  const lines = toTable([{ ...rate, aim: { of: 'ratio', bound: 0.7 } }, time]).split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'metric         value  unit        baseline  ratio  spread  better  goal',
    '─────────────  ─────  ──────────  ────────  ─────  ──────  ──────  ──────────',
    'gets, vs bare    750  per second     1,000   0.75       –  more    ≥ 0.7: met',
    'start          1,235  ms                 –      –       –  less',
  ]);
  expect(lines.at(-1)).toContain('"less" if a lower one is');
});
