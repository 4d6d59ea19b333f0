import { describe, expect, it } from 'vitest';
import { parseExposition } from './exposition.ts';
import type { MachineSample } from './fields.ts';
import { History } from './history.ts';
import { amountOf, parsePodMetrics } from './podMetrics.ts';
import { changeBetween } from './rates.ts';
import { Tier } from './tier.ts';

const LABELS = 'node="n1",namespace="shop",name="web"';
const TEXT = `# HELP kubevirt_vmi_cpu_usage_seconds_total x
# TYPE kubevirt_vmi_cpu_usage_seconds_total counter
kubevirt_vmi_cpu_usage_seconds_total{${LABELS},kubernetes_vmi_label_a="} 1, \\"b"} 12.5
kubevirt_vmi_storage_read_traffic_bytes_total{${LABELS},drive="root"} 100
kubevirt_vmi_storage_read_traffic_bytes_total{${LABELS},drive="data"} 50 1700000000000
kubevirt_vmi_memory_available_bytes{${LABELS}} 1000
kubevirt_vmi_memory_usable_bytes{${LABELS}} 400
kubevirt_vmi_memory_available_bytes{namespace="shop",name="no-balloon"} 1000
kubevirt_vmi_network_receive_bytes_total{namespace="shop",name="odd",interface="x"} NaN
kubevirt_vmi_network_receive_bytes_total{interface="nobody's"} 5
kubevirt_vmi_phase_count{phase="running"} 1
process_cpu_seconds_total 4`;

describe('what /metrics says', () => {
  const samples = parseExposition(TEXT, 7);

  it('is read by machine and device', () => {
    expect(samples.get('shop/web')).toEqual({
      origin: 'guests',
      node: 'n1',
      atMs: 7,
      counters: new Map([
        ['cpuCores|', 12.5],
        ['diskReadBytes|root', 100],
        ['diskReadBytes|data', 50],
      ]),
      gauges: { memoryUsed: 600, memoryTotal: 1000 },
    });
  });

  it('says nothing of memory without a balloon driver', () => {
    expect(samples.get('shop/no-balloon')?.gauges).toEqual({});
  });

  it('leaves out what is no number and what belongs to no machine', () => {
    expect([...samples.keys()]).toEqual(['shop/web', 'shop/no-balloon']);
  });
});

describe('what metrics.k8s.io says', () => {
  const pod = (name: string, cpu: string, memory: string) => ({
    metadata: { name, namespace: 'shop' },
    timestamp: '1970-01-01T00:00:05Z',
    containers: [{ usage: { cpu, memory } }, { usage: { cpu: '1m', memory: '1Ki' } }],
  });

  it('is taken of launcher pods, of two the one that has the guest', () => {
    const items = [
      pod('virt-launcher-web-1-abc12', '250m', '64Mi'),
      pod('virt-launcher-web-1-xyz34', '1m', '1Mi'),
      pod('other-abc12', '1', '1Gi'),
    ];
    const samples = parsePodMetrics(JSON.stringify({ items }), 9_000);
    expect([...samples]).toEqual([
      [
        'shop/web-1',
        {
          origin: 'launchers',
          atMs: 5_000,
          counters: new Map(),
          gauges: { cpuCores: 0.251, memoryUsed: 64 * 2 ** 20 + 1024 },
        },
      ],
    ]);
  });

  it.each([
    ['1500000000n', 1.5],
    ['250m', 0.25],
    ['64Mi', 64 * 2 ** 20],
    ['3', 3],
    ['', undefined],
    ['4constructor', undefined],
    ['1Xx', undefined],
  ])('%s is %s', (quantity, amount) => {
    expect(amountOf(quantity)).toBe(amount);
  });
});

const sample = (atMs: number, counters: Record<string, number>, gauges = {}): MachineSample => ({
  origin: 'guests',
  atMs,
  counters: new Map(Object.entries(counters)),
  gauges,
});

describe('between two samples', () => {
  it('rates are per second, and sums over devices', () => {
    const before = sample(0, { 'cpuCores|': 1, 'diskReads|a': 0, 'diskReads|b': 10 });
    const after = sample(5_000, { 'cpuCores|': 3.5, 'diskReads|a': 50, 'diskReads|b': 60 });
    expect(changeBetween(before, after)).toEqual({ figures: { cpuCores: 0.5, diskReads: 20 }, isRestart: false });
  });

  it('the first one has no rates, but has its gauges', () => {
    const only = sample(0, { 'cpuCores|': 1 }, { memoryUsed: 5 });
    expect(changeBetween(undefined, only)).toEqual({ figures: { memoryUsed: 5 }, isRestart: false });
  });

  it('a restart is a gap in all rates', () => {
    const before = sample(0, { 'cpuCores|': 90, 'diskReads|a': 1 });
    const after = sample(5_000, { 'cpuCores|': 2, 'diskReads|a': 40 });
    expect(changeBetween(before, after)).toEqual({ figures: {}, isRestart: true });
  });

  it('a counter that begins anew is a gap in its own rate', () => {
    const before = sample(0, { 'cpuCores|': 1, 'networkInBytes|a': 90, 'networkInBytes|b': 1 });
    const after = sample(5_000, { 'cpuCores|': 2, 'networkInBytes|a': 3, 'networkInBytes|b': 6 });
    expect(changeBetween(before, after)).toEqual({ figures: { cpuCores: 0.2 }, isRestart: false });
  });

  it('a device that was plugged in makes no spike', () => {
    const before = sample(0, { 'diskReads|a': 0 });
    const after = sample(5_000, { 'diskReads|a': 5, 'diskReads|b': 9_999 });
    expect(changeBetween(before, after).figures).toEqual({ diskReads: 1 });
  });

  it('nothing is averaged over a time in which nobody looked', () => {
    expect(changeBetween(sample(0, { 'cpuCores|': 1 }), sample(61_000, { 'cpuCores|': 9 })).figures).toEqual({});
  });
});

describe('a tier', () => {
  const tier = () => new Tier({ spanMs: 15_000, keepMs: 60_000, gapMs: 40_000, capacity: 3 });

  it('has the mean of the samples of each span', () => {
    const made = tier();
    for (const [atMs, cpuCores] of [
      [0, 1],
      [5_000, 2],
      [10_000, 6],
      [15_000, 4],
    ] as const)
      made.add(atMs, { cpuCores });
    expect(made.columns(15_000)).toEqual({ timesMs: [10_000, 15_000], values: { cpuCores: [3, 4] } });
  });

  it('counts a field only in the samples that have it', () => {
    const made = tier();
    made.add(0, { cpuCores: 1 });
    made.add(5_000, { memoryUsed: 8 });
    made.add(15_000, { memoryUsed: 9 });
    expect(made.columns(15_000).values).toEqual({ cpuCores: [1, null], memoryUsed: [8, 9] });
  });

  it('forgets the oldest', () => {
    const made = tier();
    for (let index = 0; index < 5; index += 1) made.add(index * 15_000, { cpuCores: index });
    expect(made.columns(60_000).values.cpuCores).toEqual([2, 3, 4]);
    expect(made.columns(100_000).values.cpuCores).toEqual([3, 4]);
  });

  it('has a gap where nobody looked', () => {
    const made = tier();
    made.add(0, { cpuCores: 1 });
    made.add(50_000, { cpuCores: 2 });
    expect(made.columns(50_000)).toEqual({ timesMs: [0, 1, 50_000], values: { cpuCores: [1, null, 2] } });
  });
});

describe('the history', () => {
  const cpu = (atMs: number, seconds: number) => new Map([['shop/web', sample(atMs, { 'cpuCores|': seconds })]]);

  it('keeps 24 h at 5 min, and the mark of a restart', () => {
    const history = new History();
    for (let atMs = 0; atMs <= 3_600_000; atMs += 15_000) history.record(cpu(atMs, atMs / 2_000));
    history.record(cpu(3_605_000, 0.5));
    const now = 3_605_000;
    expect(history.columns('shop/web', 'day', now).values.cpuCores).toHaveLength(13);
    expect(history.columns('shop/web', 'hour', now).values.cpuCores?.at(-3)).toBe(0.5);
    expect(history.columns('shop/web', 'live', now).values.cpuCores?.at(-1)).toBe(null);
    expect(history.restartsMs('shop/web', 'live', now)).toEqual([3_605_000]);
    expect(history.usage('shop/web', now).spark.length).toBeGreaterThan(15);
  });

  it('does not compare samples that the server may have answered from its memory', () => {
    const history = new History();
    history.record(cpu(0, 1));
    history.record(cpu(5_000, 6));
    history.record(cpu(5_500, 6));
    expect(history.usage('shop/web', 5_500).figures).toEqual({ cpuCores: 1 });
  });

  it('forgets who has not been seen for a day', () => {
    const history = new History();
    history.record(cpu(0, 1));
    history.forget(86_400_001);
    expect(history.columns('shop/web', 'day', 1).timesMs).toEqual([]);
  });
});
