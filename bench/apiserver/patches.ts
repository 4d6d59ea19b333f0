import { withCpu } from '../processes.ts';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { createNamespace } from '../servers/ask.ts';
import type { Bench } from './bench.ts';

const NAMESPACE = 'patched';

/** Merge patches of one value beside creates, and server-side applies of the same change beside merge patches. */
export async function patches(bench: Bench): Promise<Result[]> {
  const { plan } = bench;
  const load = bench.startLoad();
  const { endpoint, pids } = await bench.start(bench.ours);
  await createNamespace(endpoint, NAMESPACE);
  const at = { endpoint, namespace: NAMESPACE, clients: 8, seconds: plan.secondsEach };
  const measured = await rounds(plan.rounds, {
    creates: () => withCpu(pids, () => load.call('creates', at)),
    merges: () => withCpu(pids, () => load.call('patches', { ...at, type: 'merge' })),
    applies: () => withCpu(pids, () => load.call('patches', { ...at, type: 'apply' })),
  });
  return resultsOf(measured, ({ creates, merges, applies }) => [
    {
      metric: 'merge patches, vs creates',
      value: merges.rate,
      baseline: creates.rate,
      unit: 'per second',
      better: 'more',
    },
    {
      metric: "merge patches, server's CPU, vs creates",
      value: merges.cpu,
      baseline: creates.cpu,
      unit: 'µs',
      better: 'less',
    },
    {
      metric: 'server-side applies, vs merge patches',
      value: applies.rate,
      baseline: merges.rate,
      unit: 'per second',
      better: 'more',
    },
    {
      metric: "server-side applies, server's CPU, vs merge patches",
      value: applies.cpu,
      baseline: merges.cpu,
      unit: 'µs',
      better: 'less',
    },
  ]);
}
