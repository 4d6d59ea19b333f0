import { expect, it } from 'vitest';
import { objectgraph } from './objectgraph/index.ts';

it('asks for graphs in namespaces with few and with many VMs', async () => {
  const tiny = { rounds: 1, questions: 2, others: [1, 3], dependencies: [2, 4] } as const;
  const results = await objectgraph(tiny, () => {});
  expect(results.map(({ metric }) => metric)).toEqual([
    'graph of 2 dependencies, 1 other VMs',
    'graph of 2 dependencies, 3 other VMs, vs 1',
    'graph of 4 dependencies, 1 other VMs, vs 2',
  ]);
  for (const { value } of results) expect(value).toBeGreaterThan(0);
}, 180_000);
