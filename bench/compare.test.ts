import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { comparison, readReport } from './compare.ts';
import { type Result, toJson } from './report.ts';

const directory = mkdtempSync(join(tmpdir(), 'compare-'));
afterAll(() => rmSync(directory, { recursive: true }));

const rate = (value: number, baseline = 1000): Result => ({
  metric: 'gets',
  value,
  unit: 'per second',
  baseline,
  better: 'more',
});
const size: Result = { metric: 'memory', value: 130, unit: 'MB', baseline: null, better: 'less' };
const lines = (now: readonly Result[], then: readonly Result[]): string[] =>
  comparison(now, toJson('x', then)).split('\n');

it('compares ratios, so that a slower host counts for nothing', () => {
  expect(lines([rate(400, 500)], [rate(800)])[2]).toBe('gets      0.80  0.80    +0 %  same');
});

it('says what is better and what is worse, whichever way is up', () => {
  expect(lines([rate(700)], [rate(500)])[2]).toMatch(/0\.50 +0\.70 +\+40 % +better$/);
  expect(lines([rate(400)], [rate(500)])[2]).toMatch(/−20 % +worse$/);
  expect(lines([size], [{ ...size, value: 100 }])[2]).toMatch(/100 MB +130 MB +\+30 % +worse$/);
});

it('takes a change within the spread of both for none', () => {
  const wide = (value: number): Result => ({ ...rate(value), spread: { rounds: 3, value: [1, 2], ratio: [0.4, 0.8] } });
  expect(lines([wide(700)], [wide(500)])[2]).toMatch(/\+40 % +same$/);
  expect(lines([wide(700)], [rate(500)])[2]).toMatch(/\+40 % +better$/);
});

it('names what is new and what is missing', () => {
  const text = lines([rate(1)], [size]);
  expect(text[2]).toMatch(/^gets .* new$/);
  expect(text).toContain('Not measured in this run: memory');
});

it('reads what --json writes, and nothing else', () => {
  const file = join(directory, 'report.json');
  writeFileSync(file, JSON.stringify(toJson('x', [size])));
  expect(readReport(file).results).toHaveLength(1);
  writeFileSync(file, '{"results":1}');
  expect(() => readReport(file)).toThrow('is not what --json writes');
});
