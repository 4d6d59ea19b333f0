import { expect, it } from 'vitest';
import { apiserver, MEASUREMENTS } from './apiserver/index.ts';
import type { Plan } from './apiserver/plan.ts';
import { toJson } from './report.ts';

/** Just enough that every measurement does all of its steps. */
const TINY: Plan = {
  rounds: 1,
  secondsEach: 0.05,
  listedObjects: 25,
  pageSize: 10,
  storedObjects: 20,
  startRounds: 1,
  manyWatchers: 5,
  latencyWrites: 2,
  burstWrites: 5,
  settleMs: 0,
};

it('measures everything that it promises, beside a baseline each', async () => {
  const { name, results } = toJson('apiserver', await apiserver(TINY, Object.keys(MEASUREMENTS), () => {}));
  expect(name).toBe('apiserver');
  for (const result of results) {
    expect(Object.keys(result)).toEqual(['metric', 'value', 'unit', 'baseline', 'ratio']);
    expect(result.value, result.metric).toBeGreaterThanOrEqual(0);
    expect(result.baseline, result.metric).toBeGreaterThanOrEqual(0);
  }
  expect(results.map(({ metric, unit }) => `${metric}: ${unit}`)).toMatchInlineSnapshot(`
    [
      "creates, 1 client, vs store alone: per second",
      "creates, 1 client, vs append+fdatasync: per second",
      "creates, 1 client, server's CPU, vs store alone: µs",
      "creates, 32 clients, vs store alone: per second",
      "creates, 32 clients, vs append+fdatasync: per second",
      "creates, 32 clients, server's CPU, vs store alone: µs",
      "merge patches, vs creates: per second",
      "merge patches, server's CPU, vs creates: µs",
      "server-side applies, vs merge patches: per second",
      "server-side applies, server's CPU, vs merge patches: µs",
      "creates with CEL rules, vs without: per second",
      "creates with CEL rules, server's CPU, vs without: µs",
      "GET of 2 KB, vs bare server: per second",
      "GET of 2 KB, server's CPU, vs bare server: µs",
      "list of 25, whole, vs bare server: ms",
      "list of 25, pages of 10, vs bare server: ms",
      "acknowledged write to event, p50, 1 watcher, vs bare server: ms",
      "acknowledged write to event, p99, 1 watcher, vs bare server: ms",
      "sent write to event, p50, 1 watcher, vs bare server: ms",
      "sent write to event, p99, 1 watcher, vs bare server: ms",
      "events per second, 1 watcher, vs bare server: per second",
      "acknowledged write to event, p50, 5 watchers, vs bare server: ms",
      "acknowledged write to event, p99, 5 watchers, vs bare server: ms",
      "sent write to event, p50, 5 watchers, vs bare server: ms",
      "sent write to event, p99, 5 watchers, vs bare server: ms",
      "events per second, 5 watchers, vs bare server: per second",
      "vireo up to ready, empty home, vs bare server: ms",
      "vireo up to ready, 20 objects, vs empty home: ms",
      "server alone to ready, empty home, vs vireo up: ms",
      "server alone to ready, 20 objects, vs vireo up: ms",
      "memory, idle, vs bare server: MB",
      "memory, 20 objects, vs idle: MB",
      "memory, 5 watchers, vs idle: MB",
    ]
  `);
}, 120_000);
