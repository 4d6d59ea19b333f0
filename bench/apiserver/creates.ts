import type { DiskTasks } from '../baseline/disk.ts';
import type { StoreTasks } from '../baseline/storeAlone.ts';
import { startTasks, withCpu } from '../processes.ts';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { createNamespace } from '../servers/ask.ts';
import type { MeasuredServer } from '../servers/server.ts';
import type { Bench } from './bench.ts';

const NAMESPACE = 'bench';

/** Durable creates a second, against the store without a server and against the disk without a store. */
export async function creates(bench: Bench): Promise<Result[]> {
  const { plan } = bench;
  const load = bench.startLoad();
  const store = bench.track(startTasks<StoreTasks>(new URL('../baseline/storeAlone.ts', import.meta.url)));
  const disk = bench.track(startTasks<DiskTasks>(new URL('../baseline/disk.ts', import.meta.url)));
  const directory = await bench.directory();
  await store.call('open', { directory });
  const ours = await bench.start(bench.ours);
  await createNamespace(ours.endpoint, NAMESPACE);
  const rival = bench.rival && (await bench.start(bench.rival));
  if (rival) await createNamespace(rival.endpoint, NAMESPACE);

  const results: Result[] = [];
  const seconds = plan.secondsEach;
  for (const clients of [1, 32]) {
    const over = ({ endpoint, pids }: MeasuredServer) =>
      withCpu(pids, () => load.call('creates', { endpoint, clients, seconds, namespace: NAMESPACE }));
    const measured = await rounds(plan.rounds, {
      ours: () => over(ours),
      store: () => withCpu([store.pid], () => store.call('creates', { writers: clients, seconds })),
      disk: () => withCpu([disk.pid], () => disk.call('append', { directory, writers: clients, seconds })),
      ...(rival && { rival: () => over(rival) }),
    });
    const metric = `creates, ${clients} ${clients === 1 ? 'client' : 'clients'}`;
    results.push(
      ...resultsOf(measured, ({ ours, store, disk, rival }) => {
        const figure = { value: ours.rate, unit: 'per second', better: 'more' } as const;
        return [
          {
            ...figure,
            metric: `${metric}, vs store alone`,
            baseline: store.rate,
            ...(clients === 32 && { aim: { of: 'ratio', bound: 0.5 } as const }),
          },
          { ...figure, metric: `${metric}, vs append+fdatasync`, baseline: disk.rate },
          {
            metric: `${metric}, server's CPU, vs store alone`,
            value: ours.cpu,
            unit: 'µs',
            baseline: store.cpu,
            better: 'less',
          },
          ...(rival ? [{ ...figure, metric: `${metric}, vs kube-apiserver`, baseline: rival.rate }] : []),
        ];
      }),
    );
  }
  return results;
}
