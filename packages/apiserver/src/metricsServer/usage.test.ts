import { expect, test } from 'vitest';
import { type Point, parseNodeSample } from './nodeSample.ts';
import { measure, measurePod, UsageTable } from './usage.ts';

const TEXT = `# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the container in core-seconds
# TYPE container_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total{container="compute",namespace="shop",pod="web"} 4.5 1700000000500
container_memory_working_set_bytes{container="compute",namespace="shop",pod="web"} 2.048e+06 1700000000400
container_start_time_seconds{container="compute",namespace="shop",pod="web"} 1.69e+09
container_cpu_usage_seconds_total{container="half",namespace="shop",pod="half"} 1
container_cpu_usage_seconds_total{namespace="shop",pod="nameless"} 1
container_memory_working_set_bytes{container="bad",namespace="shop",pod="web"} NaN
node_cpu_usage_seconds_total 100
node_memory_working_set_bytes 4096
node_swap_usage_bytes 7
resource_scrape_error 0
`;

test('a node tells what it and its containers have used, and when', () => {
  const { node, pods } = parseNodeSample(TEXT, 5_000);
  expect(node).toEqual({ atMs: 5_000, cpuSeconds: 100, memoryBytes: 4096 });
  expect(Object.fromEntries([...pods].map(([pod, containers]) => [pod, Object.fromEntries(containers)]))).toEqual({
    'shop/web': {
      compute: { atMs: 1_700_000_000_500, cpuSeconds: 4.5, memoryBytes: 2_048_000, startedAtMs: 1.69e12 },
    },
    'shop/half': {},
  });
});

test('of a text that is none, nothing is taken', () => {
  expect(parseNodeSample('<html>node_cpu_usage_seconds_total</html>\n{} 1\nnode_ 2', 0)).toEqual({
    node: undefined,
    pods: new Map(),
  });
});

const at = (seconds: number, cpuSeconds: number, startedAt?: number): Point => ({
  atMs: seconds * 1000,
  cpuSeconds,
  memoryBytes: 1024,
  ...(startedAt !== undefined && { startedAtMs: startedAt * 1000 }),
});

test.each<[string, Point | undefined, Point, number | undefined, number | undefined]>([
  ['CPU is what was added, over the time between', at(100, 10), at(120, 15), 0.25, 20_000],
  ['one that did nothing uses nothing', at(100, 10), at(120, 10), 0, 20_000],
  ['a new one is not known yet', undefined, at(120, 15), undefined, undefined],
  ['a new one is measured from its start', undefined, at(120, 15, 100), 0.75, 20_000],
  ['right after its start is too soon', undefined, at(120, 15, 111), undefined, undefined],
  ['after a restart it counts from the start', at(100, 50), at(120, 3, 105), 0.2, 15_000],
  ['a counter that fell says nothing', at(100, 50), at(120, 3), undefined, undefined],
  ['the same sample twice says nothing', at(100, 10), at(100, 10), undefined, undefined],
])('%s', (_, before, after, cores, windowMs) => {
  const measured = measure(before, after);
  expect(measured?.cores).toBe(cores);
  expect(measured?.windowMs).toBe(windowMs);
});

test('a pod is known once all its containers are, and is as old as the oldest', () => {
  const before = new Map([
    ['a', at(100, 1)],
    ['b', at(101, 1)],
  ]);
  const after = new Map([
    ['a', at(110, 2)],
    ['b', at(109, 2)],
  ]);
  expect(measurePod(before, after)).toMatchObject({ atMs: 109_000, windowMs: 8_000 });
  expect(measurePod(new Map([['a', at(100, 1)]]), after)).toBeUndefined();
  expect(measurePod(before, new Map())).toBeUndefined();
});

test('a pod is looked for on its node', () => {
  const pods = (cpu: number, seconds: number) => new Map([['shop/web', new Map([['compute', at(seconds, cpu)]])]]);
  const table = new UsageTable(
    new Map([['n1', { node: at(100, 1), pods: pods(1, 100) }]]),
    new Map([['n1', { node: at(110, 6), pods: pods(3, 110) }]]),
  );
  expect(table.node('n1')?.cores).toBe(0.5);
  expect(table.pod('n1', 'shop', 'web')?.containers.get('compute')?.cores).toBe(0.2);
  expect(table.node('n2')).toBeUndefined();
  expect(table.pod('n2', 'shop', 'web')).toBeUndefined();
});
