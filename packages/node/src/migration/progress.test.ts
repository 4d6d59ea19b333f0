import { expect, it } from 'vitest';
import { ProgressSchedule, progressOf } from './progress.ts';

const stats = (values: Record<string, number>) => ({ number: (name: string) => values[name] });

it.each([
  ['nothing before libvirt counts', {}, undefined],
  ['the share that is there', { data_total: 200, data_remaining: 50 }, 75],
  ['all of it', { data_total: 200, data_remaining: 0 }, 100],
  ['not less than nothing, however much the guest writes', { data_total: 200, data_remaining: 300 }, 0],
])('the progress of a move is %s', (_, values, percent) => {
  expect(progressOf(stats(values), 0)?.percent).toBe(percent);
});

it('memory that is not counted yet remains to be moved', () => {
  const afterDisks = { data_total: 100, data_remaining: 0 };
  expect(progressOf(stats(afterDisks), 400)).toEqual({ percent: 25, totalBytes: 400, remainingBytes: 300 });
});

it('is written after two seconds, and then less and less often', () => {
  const schedule = new ProgressSchedule();
  const written: number[] = [];
  for (let ms = 0; ms <= 120_000; ms += 400)
    if (schedule.isDue({ percent: 0, totalBytes: 1e9, remainingBytes: 1e9 - ms }, ms)) written.push(ms);
  expect(written).toEqual([2_000, 7_200, 17_200, 37_200, 67_200, 97_200]);
});

it('is not written again while nothing changes', () => {
  const schedule = new ProgressSchedule();
  const progress = { percent: 4, totalBytes: 100, remainingBytes: 96 };
  expect([2_000, 30_000, 60_000].map((ms) => schedule.isDue(progress, ms))).toEqual([true, false, false]);
  expect(schedule.isDue({ ...progress, remainingBytes: 95 }, 60_400)).toBe(true);
});
