import { expect, it } from 'vitest';
import { MEASUREMENTS, migration, whyNot } from './migration/index.ts';
import { downtimeOf } from './migration/jobInfo.ts';
import { TINY } from './migration/plan.ts';
import { toJson } from './report.ts';

it.skipIf(whyNot())(
  'moves guests in every way that it compares',
  async () => {
    const { results } = toJson('migration', await migration(TINY, MEASUREMENTS, () => {}));
    for (const { metric, value, baseline } of results) {
      expect(value, metric).toBeGreaterThan(0);
      expect(baseline, metric).toBeGreaterThan(0);
    }
    expect(results.map(({ metric, unit }) => `${metric}: ${unit}`)).toEqual([
      'start to end of a migration, 64 MiB, vs virsh migrate: ms',
      'downtime of the guest, 64 MiB, vs virsh migrate: ms',
      'POST to Succeeded, 64 MiB, vs virsh migrate: ms',
      'drain of 2 guests of 64 MiB, 2 at a time, vs virsh migrate: ms',
    ]);
  },
  180_000,
);

it('finds the downtime in what virsh prints', () => {
  expect(downtimeOf('Job type:         Completed   \nTotal downtime:   123          ms\n')).toBe(123);
  expect(() => downtimeOf('Job type:         None\n')).toThrow('libvirt tells no downtime');
});
