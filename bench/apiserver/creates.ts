import type { DiskTasks } from '../baseline/disk.ts';
import type { StoreTasks } from '../baseline/storeAlone.ts';
import type { Done } from '../load/requests.ts';
import { startTasks } from '../processes.ts';
import type { Result } from '../report.ts';
import { rounds } from '../rounds.ts';
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
    const over = ({ endpoint }: MeasuredServer) =>
      load.call('creates', { endpoint, clients, seconds, namespace: NAMESPACE }).then(rate);
    const measured = await rounds(plan.rounds, {
      ours: () => over(ours),
      store: () => store.call('creates', { writers: clients, seconds }).then(rate),
      disk: () => disk.call('append', { directory, writers: clients, seconds }).then(rate),
      ...(rival && { rival: () => over(rival) }),
    });
    const metric = `creates, ${clients} ${clients === 1 ? 'client' : 'clients'}`;
    const figure = { value: measured.ours.rate, unit: 'per second', better: 'more' } as const;
    results.push(
      {
        ...figure,
        metric: `${metric}, vs store alone`,
        baseline: measured.store.rate,
        ...(clients === 32 && { aim: { of: 'ratio', bound: 0.5 } }),
      },
      { ...figure, metric: `${metric}, vs append+fdatasync`, baseline: measured.disk.rate },
    );
    if (measured.rival)
      results.push({ ...figure, metric: `${metric}, vs kube-apiserver`, baseline: measured.rival.rate });
  }
  return results;
}

const rate = ({ count, seconds }: Done) => ({ rate: count / seconds });
