import { expect, it } from 'vitest';
import { toJson } from './report.ts';
import { scale } from './scale/index.ts';

it('runs stub machines on simulated nodes, many beside few', async () => {
  const plan = { nodes: [2], few: 5, many: 20, warmUp: 5, atOnce: 5 };
  const { results } = toJson('scale', await scale(plan, ['nodes-2'], () => {}));
  // What so few machines take is less than what the rest of the server gives and takes meanwhile.
  for (const { metric, value, baseline } of results.filter(({ unit }) => unit !== 'KB')) {
    expect(value, metric).toBeGreaterThan(0);
    expect(baseline, metric).toBeGreaterThan(0);
  }
  expect(results.map(({ metric, unit }) => `${metric}: ${unit}`)).toEqual([
    '20 machines on 2 nodes to Running, vs 5: per second',
    '20 machines on 2 nodes, half are there within, vs 5: ms',
    '20 machines on 2 nodes, 99 of 100 within, vs 5: ms',
    '20 machines on 2 nodes, CPU a machine, vs 5: µs',
    '20 machines on 2 nodes, memory a machine, vs 5: KB',
    '20 machines on 2 nodes, writes a machine, vs 5: writes',
    '20 machines on 2 nodes, a scrape of all metrics, vs 5: ms',
  ]);
}, 180_000);
