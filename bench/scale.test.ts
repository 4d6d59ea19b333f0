import { expect, it } from 'vitest';
import { toJson } from './report.ts';
import { scale } from './scale/index.ts';

it('runs stub VMs on simulated nodes, many beside few', async () => {
  const plan = { nodes: [2], few: 5, many: 20, warmUp: 5, atOnce: 5 };
  const { results } = toJson('scale', await scale(plan, ['nodes-2'], () => {}));
  // What so few VMs take is less than what the rest of the server gives and takes meanwhile.
  for (const { metric, value, baseline } of results.filter(({ unit }) => unit !== 'KB')) {
    expect(value, metric).toBeGreaterThan(0);
    expect(baseline, metric).toBeGreaterThan(0);
  }
  expect(results.map(({ metric, unit }) => `${metric}: ${unit}`)).toEqual([
    '20 VMs on 2 nodes to Running, vs 5: per second',
    '20 VMs on 2 nodes, median start time, vs 5: ms',
    '20 VMs on 2 nodes, p99 of the start time, vs 5: ms',
    '20 VMs on 2 nodes, CPU per VM, vs 5: µs',
    '20 VMs on 2 nodes, memory per VM, vs 5: KB',
    '20 VMs on 2 nodes, writes per VM, vs 5: writes',
    '20 VMs on 2 nodes, a scrape of all metrics, vs 5: ms',
  ]);
}, 180_000);
