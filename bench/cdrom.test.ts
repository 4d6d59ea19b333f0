import { expect, it } from 'vitest';
import { cdrom, MEASUREMENTS } from './cdrom/index.ts';

it('changes discs in every way that it compares', async () => {
  const results = await cdrom({ rounds: 1, budgetSeconds: 0 }, () => {});
  expect(results.map(({ metric }) => metric.split(',')[0])).toEqual(MEASUREMENTS);
  for (const { metric, value, baseline } of results) {
    expect(value, metric).toBeGreaterThan(0);
    expect(baseline, metric).toBeGreaterThan(0);
  }
}, 120_000);
