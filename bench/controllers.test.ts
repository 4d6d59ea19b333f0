import { expect, it } from 'vitest';
import { controllers } from './controllers/index.ts';
import { toJson } from './report.ts';

it('measures the memory of controllers in a process of their own', async () => {
  const { results } = toJson('controllers', await controllers({ nodes: 2, vms: 10, atOnce: 5 }, () => {}));
  expect(results.map(({ metric, unit }) => `${metric}: ${unit}`)).toEqual([
    'vireo controllers with 10 VMs, memory in use: MB',
    'vireo controllers with 10 VMs, memory in use per VM: KB',
    'vireo controllers with 10 VMs, resident memory: MB',
  ]);
  for (const { metric, value, unit } of results) if (unit === 'MB') expect(value, metric).toBeGreaterThan(0);
}, 180_000);
