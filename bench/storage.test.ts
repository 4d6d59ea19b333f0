import { expect, it } from 'vitest';
import { toJson } from './report.ts';
import { MEASUREMENTS, storage } from './storage/index.ts';

it('fills claims in every way that it compares', async () => {
  const plan = { rounds: 1, diskMib: 8, budgetSeconds: 0 };
  const { results } = toJson('storage', await storage(plan, Object.keys(MEASUREMENTS), () => {}));
  for (const { metric, value, baseline } of results) {
    expect(value, metric).toBeGreaterThan(0);
    expect(baseline, metric).toBeGreaterThan(0);
  }
  expect(results.map(({ metric, unit }) => `${metric}: ${unit}`)).toEqual([
    'import of qcow2, 4 of 8 MiB, vs qemu-img convert: ms',
    'import of raw, 4 of 8 MiB, vs cp --reflink=auto: ms',
    'clone, 4 of 8 MiB, vs cp --reflink=auto: ms',
    'upload of qcow2, 4 of 8 MiB, vs qemu-img convert: ms',
    'upload of raw, 4 of 8 MiB, vs cp --reflink=auto: ms',
  ]);
}, 120_000);
