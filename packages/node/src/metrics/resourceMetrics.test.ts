import type { Persisted, Pod } from '@vireo/api';
import { type TypedParameter, TypedParameters, typed } from '@vireo/libvirt';
import { expect, test } from 'vitest';
import { hostUsage } from './hostUsage.ts';
import { resourceReader } from './resourceMetrics.ts';

const STAT = `cpu  100 20 30 5000 60 7 8 9 10 11
cpu0 50 10 15 2500 30 3 4 5 5 5
intr 1`;
const MEMINFO = `MemTotal:        1000 kB
MemFree:          100 kB
MemAvailable:     400 kB
`;

test('a host has used the CPU time that was not idle, and the memory that is not available', () => {
  expect(hostUsage(STAT, MEMINFO)).toEqual({ cpuSeconds: 1.74, memoryBytes: 600 * 1024 });
});

test.each([
  ['', MEMINFO],
  [STAT, 'MemTotal: 1000 kB'],
  ['cpu  1 2', MEMINFO],
])('what the kernel does not tell is not made up', (stat, meminfo) => {
  expect(hostUsage(stat, meminfo)).toBeUndefined();
});

const uuid = '11111111-2222-3333-4444-555555555555';
const pod = {
  metadata: { name: 'virt-launcher-web', namespace: 'shop', uid: 'u1' },
  status: { containerStatuses: [{ name: 'compute', state: { running: { startedAt: '2023-11-14T22:13:20Z' } } }] },
} as unknown as Persisted<Pod>;

const domain = (name: string, values: Readonly<Record<string, number>>) => ({
  domain: { name, uuid, id: 1 },
  parameters: new TypedParameters(
    Object.entries(values).map(([stat, value]): TypedParameter => typed.ullong(stat, BigInt(value))),
  ),
});

test('a launcher uses what libvirt says of its domain; a domain without a launcher or without figures is left out', async () => {
  const stats = [
    domain('shop_web', { 'cpu.time': 1_500_000_000, 'balloon.rss': 1_000 }),
    domain('shop_starting', { 'cpu.time': 1_500_000_000 }),
    domain('shop_other', { 'cpu.time': 1, 'balloon.rss': 1 }),
  ];
  const { metrics, summary } = resourceReader({
    node: 'n1',
    libvirt: { isConnected: true, long: { domainStats: async () => stats } } as never,
    clock: { now: () => 1_700_000_100_000, after: () => () => {} },
    launcher: (key, uid) => (key !== 'shop/other' && uid === uuid ? pod : undefined),
  });
  const text = await metrics();
  expect(text.split('\n').filter((line) => line.startsWith('container_'))).toEqual([
    'container_cpu_usage_seconds_total{container="compute",namespace="shop",pod="virt-launcher-web"} 1.5 1700000100000',
    'container_memory_working_set_bytes{container="compute",namespace="shop",pod="virt-launcher-web"} 1024000 1700000100000',
    'container_start_time_seconds{container="compute",namespace="shop",pod="virt-launcher-web"} 1700000000 1700000100000',
  ]);
  // Of this host.
  expect(text).toMatch(/^node_cpu_usage_seconds_total \d+/m);
  expect(text).toMatch(/^node_memory_working_set_bytes \d{6,}/m);
  expect(text).toContain('resource_scrape_error 0');
  expect(await summary()).toMatchObject({
    node: { nodeName: 'n1', memory: { workingSetBytes: expect.any(Number), availableBytes: expect.any(Number) } },
    pods: [{ podRef: { name: 'virt-launcher-web', namespace: 'shop', uid: 'u1' } }],
  });
});
