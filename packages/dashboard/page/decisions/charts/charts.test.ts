import { describe, expect, it } from 'vitest';
import { axisRange, CHARTS, formatFigure, marksOf, missingText, plotData, tableRows } from './charts.ts';
import { shareOf, sparkPath } from './spark.ts';

const chart = (key: string) => {
  const found = CHARTS.find((each) => each.key === key);
  if (!found) throw new Error(`no chart ${key}`);
  return found;
};

it.each([
  [0.984, 'cores', '0.98 cores'],
  [1, 'cores', '1 core'],
  [1536, 'bytes', '1.5 KiB'],
  [-1048576, 'bytesPerSecond', '1 MiB/s'],
  [0, 'bytesPerSecond', '0 B/s'],
  [3.14, 'perSecond', '3.1 /s'],
  [null, 'cores', '–'],
] as const)('%s %s is %s', (value, unit, text) => {
  expect(formatFigure(value, unit)).toBe(text);
});

describe('a chart', () => {
  it('has what goes out below the axis, gaps included', () => {
    const values = { diskReadBytes: [1, null], diskWriteBytes: [null, 2] };
    expect(plotData(chart('disk'), { timesMs: [1_000, 2_000], values })).toEqual([
      [1, 2],
      [1, null],
      [null, -2],
    ]);
  });

  it('has gaps, not zeros, where nothing is known', () => {
    expect(plotData(chart('memory'), { timesMs: [1_000], values: {} })).toEqual([[1], [null]]);
  });

  it('begins at 0 and shows what was given', () => {
    expect(axisRange(chart('cpu'), 0.5, 0.6, 2)).toEqual([0, 2.2]);
    expect(axisRange(chart('disk'), -10_000, 5_000, undefined)).toEqual([-11_000, 5_500]);
    expect(axisRange(chart('network'), null, null, undefined)).toEqual([-1126.4, 1126.4]);
  });

  it('says why it is empty', () => {
    expect(missingText('memory', 'guests', true)).toContain('balloon');
    expect(missingText('network', 'guests', false)).toContain('agent');
    expect(missingText('disk', 'launchers', true)).toContain('metrics.k8s.io');
  });
});

it('a start that both the counters and the instance tell of is one mark', () => {
  const createdAt = '1970-01-01T01:00:00Z';
  expect(marksOf([100_000, 3_610_000], createdAt, 0)).toEqual([100_000, 3_600_000]);
  expect(marksOf([100_000], createdAt, 200_000)).toEqual([3_600_000]);
  expect(marksOf([100_000], undefined, 0)).toEqual([100_000]);
});

it('the table has the newest first, at most so many, and no rows for gaps', () => {
  const timesMs = Array.from({ length: 100 }, (_, index) => index);
  const cpuCores = timesMs.map((ms) => (ms === 99 ? null : ms));
  const rows = tableRows({ timesMs, values: { cpuCores } }, 30);
  expect(rows.length).toBeLessThanOrEqual(30);
  expect(rows[0]).toMatchObject({ ms: 98, figures: { cpuCores: 98, memoryUsed: null } });
});

describe('a sparkline', () => {
  it.each([
    [[0, 1], 1, 'M0 23L100 1'],
    [[0, null, 1], 1, 'M0 23h2M100 1h2'],
    [[5], 1, 'M0 1h2'],
    [[], 1, ''],
  ])('of %j up to %s is %s', (values, most, path) => {
    expect(sparkPath(values, most)).toBe(path);
  });

  it('has a share only if both are known', () => {
    expect(shareOf(1, 4)).toBe(25);
    expect(shareOf(9, 4)).toBe(100);
    expect(shareOf(undefined, 4)).toBeUndefined();
    expect(shareOf(1, 0)).toBeUndefined();
  });
});
