import { expect, test } from 'vitest';
import { CpuRates, summaryOf } from './summary.ts';

const NODE = { name: 'n1', startedAtMs: 1_000_000, totalBytes: 8_000 };
const usage = (cpuSeconds: number) => ({ cpuSeconds, memoryBytes: 3_000 });
const web = (cpuSeconds: number) => ({
  ...usage(cpuSeconds),
  namespace: 'shop',
  pod: 'virt-launcher-web',
  uid: 'u1',
  container: 'compute',
  startedAtMs: 1_500_000,
});

test('a summary has the CPU time, its rate since an earlier look, and the memory of the node and of its pods', () => {
  const rates = new CpuRates();
  const first = summaryOf(NODE, { host: usage(100), containers: [web(10)], nowMs: 2_000_000 }, rates);
  expect(first.node.cpu).toEqual({ time: '1970-01-01T00:33:20.000Z', usageCoreNanoSeconds: 100e9 });
  const second = summaryOf(NODE, { host: usage(120), containers: [web(15)], nowMs: 2_010_000 }, rates);
  const time = '1970-01-01T00:33:30.000Z';
  const launcher = {
    startTime: '1970-01-01T00:25:00.000Z',
    cpu: { time, usageNanoCores: 0.5e9, usageCoreNanoSeconds: 15e9 },
    memory: { time, workingSetBytes: 3_000, rssBytes: 3_000 },
  };
  expect(second).toEqual({
    node: {
      nodeName: 'n1',
      startTime: '1970-01-01T00:16:40.000Z',
      cpu: { time, usageNanoCores: 2e9, usageCoreNanoSeconds: 120e9 },
      memory: { time, availableBytes: 5_000, workingSetBytes: 3_000 },
    },
    pods: [
      {
        podRef: { name: 'virt-launcher-web', namespace: 'shop', uid: 'u1' },
        ...launcher,
        containers: [{ name: 'compute', ...launcher }],
      },
    ],
  });
});

test('what the kernel does not tell is left out', () => {
  expect(summaryOf(NODE, { host: undefined, containers: [], nowMs: 0 }, new CpuRates())).toEqual({
    node: { nodeName: 'n1' },
    pods: [],
  });
});

const look = (seconds: number, cpuSeconds: number) => new Map([['a', { atMs: seconds * 1000, cpuSeconds }]]);

test('looks in quick succession tell the rate since one that is long enough ago; what starts anew has none', () => {
  const rates = new CpuRates();
  const at = (seconds: number, cpuSeconds: number) => rates.update(look(seconds, cpuSeconds)).get('a');
  expect(at(0, 0)).toBeUndefined();
  expect(at(1, 1)).toBeUndefined();
  expect(at(10, 10)).toBe(1);
  expect(at(11, 22)).toBe(2);
  expect(at(20, 10)).toBe(0);
  expect(at(30, 1)).toBe(undefined);
  rates.update(new Map());
  expect(at(60, 100)).toBeUndefined();
});
