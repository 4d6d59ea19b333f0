import { expect, it } from 'vitest';
import { dashboard, MEASUREMENTS, whyNot } from './dashboard/index.ts';
import { TINY } from './dashboard/plan.ts';
import { toJson } from './report.ts';

it.skipIf(whyNot())(
  'measures everything that it promises in a browser',
  async () => {
    const { results } = toJson('dashboard', await dashboard(TINY, MEASUREMENTS, () => {}));
    expect(results.map(({ metric, unit }) => `${metric}: ${unit}`)).toEqual([
      'first load, compressed: KB',
      'time to a table of 120 machines, vs reading the lists: ms',
      'from an acknowledged change to the frame that shows it, median: ms',
      'from an acknowledged change to the frame that shows it, 99th percentile: ms',
      'longest task while scrolling, 20 changes a second, vs none: ms',
      'memory of the page after 1 s of 20 changes a second, vs before: MB',
    ]);
    // Tasks below 50 ms are not told, so that the longest may be none.
    for (const { metric, value } of results.filter(({ unit, metric }) => unit !== 'ms' || !metric.includes('task')))
      expect(value, metric).toBeGreaterThan(0);
    // Consoles and editors are larger than this together.
    expect(results[0]?.value).toBeLessThan(300);
  },
  180_000,
);
