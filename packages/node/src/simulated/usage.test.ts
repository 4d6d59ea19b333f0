import type { Persisted, Pod } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { expect, test } from 'vitest';
import type { Stub } from './stub.ts';
import { SimulatedUsage } from './usage.ts';

const guest = (uid: string, annotations?: Record<string, string>) => ({
  pod: { metadata: { name: `launcher-${uid}`, namespace: 'shop' } } as Persisted<Pod>,
  vmi: { metadata: { uid, annotations } } as unknown as Vmi,
  stub: { startedAtMs: 0 } as Stub,
});

const figures = (text: string, name: string): number[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith(name))
    .map((line) => Number(line.split(' ')[1]));

test('a guest uses what its annotations say, from one question to the next; the node what all have used', () => {
  const usage = new SimulatedUsage();
  const busy = (cpu: string) => guest('a', { 'vireo.io/simulated-cpu': cpu, 'vireo.io/simulated-memory': '1Mi' });
  const first = usage.read([busy('500m'), guest('b')], 10_000);
  expect(figures(first, 'container_cpu_usage')).toEqual([5, 0]);
  expect(figures(first, 'container_memory')).toEqual([1_048_576, 0]);
  const second = usage.read([busy('2'), guest('b', { 'vireo.io/simulated-cpu': 'much' })], 11_000);
  expect(figures(second, 'container_cpu_usage')).toEqual([7, 0]);
  expect(figures(second, 'node_cpu')).toEqual([7]);
  // The node's counter never falls, whoever goes.
  expect(figures(usage.read([], 12_000), 'node_cpu')).toEqual([7]);
});
