import { expect, it } from 'vitest';
import { MEASUREMENTS, replicaSets } from './replicaset/index.ts';
import { toJson } from './report.ts';

it('fills and empties sets and pools beside straight creates and deletes', async () => {
  const plan = { rounds: 1, sizes: [20], budgetSeconds: 0 };
  const { results } = toJson('replicaset', await replicaSets(plan, Object.keys(MEASUREMENTS), () => {}));
  for (const { metric, value, baseline } of results) {
    expect(value, metric).toBeGreaterThan(0);
    expect(baseline, metric).toBeGreaterThan(0);
  }
  expect(results.map(({ metric, unit }) => `${metric}: ${unit}`)).toEqual([
    '0 to 20, vs straight creates: per second',
    '0 to 20, writes per VM, vs straight creates: writes',
    '0 to 20, CPU per VM, vs straight creates: µs',
    '20 to 0, vs straight deletes: per second',
    '20 to 0, writes per VM, vs straight deletes: writes',
    '20 to 0, CPU per VM, vs straight deletes: µs',
    '0 to 20, every 10th fails, vs straight creates: per second',
    '0 to 20, every 10th fails, writes per VM, vs straight creates: writes',
    '0 to 20, every 10th fails, CPU per VM, vs straight creates: µs',
    'pool 0 to 20, vs straight creates of VMs: per second',
    'pool 0 to 20, writes per VM, vs straight creates of VMs: writes',
    'pool 0 to 20, CPU per VM, vs straight creates of VMs: µs',
    'pool 20 to 0, vs straight deletes of VMs: per second',
    'pool 20 to 0, writes per VM, vs straight deletes of VMs: writes',
    'pool 20 to 0, CPU per VM, vs straight deletes of VMs: µs',
  ]);
}, 180_000);
