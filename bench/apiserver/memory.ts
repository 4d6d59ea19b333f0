import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '../processes.ts';
import type { Result } from '../report.ts';
import { createNamespace } from '../servers/ask.ts';
import type { MeasuredServer, ServerKind } from '../servers/server.ts';
import { startBare } from './bare.ts';
import type { Bench } from './bench.ts';

const CONNECTIONS = 4;
const NAMESPACE = 'watched';

/** Resident memory: at rest, with many objects, with many watchers. */
export async function memory(bench: Bench): Promise<Result[]> {
  const { plan } = bench;
  const ours = await footprint(bench, bench.ours);
  const rival = bench.rival && (await footprint(bench, bench.rival));
  const objects = `${plan.storedObjects.toLocaleString('en-US')} objects`;
  const watchers = `${plan.manyWatchers.toLocaleString('en-US')} watchers`;
  const row = (metric: string, value: number, baseline: number): Result => ({
    metric,
    value,
    unit: 'MB',
    baseline,
    better: 'less',
  });
  return [
    { ...row('memory, idle, vs bare server', ours.idle, ours.bare), aim: { of: 'value', bound: 200 } },
    row(`memory, ${objects}, vs idle`, ours.withObjects, ours.idle),
    row(`memory, ${watchers}, vs idle`, ours.withWatchers, ours.idle),
    ...(rival
      ? [
          row('memory, idle, vs kube-apiserver and etcd', ours.idle, rival.idle),
          row(`memory, ${objects}, vs kube-apiserver and etcd`, ours.withObjects, rival.withObjects),
          row(`memory, ${watchers}, vs kube-apiserver and etcd`, ours.withWatchers, rival.withWatchers),
        ]
      : []),
  ];
}

async function footprint(bench: Bench, kind: ServerKind) {
  const server = await bench.start(kind);
  const bare = await startBare(bench, server.endpoint);
  await sleep(bench.plan.settleMs);
  const [idle, bareIdle] = [megabytes(server.pids), megabytes([bare.process.pid])];
  const withWatchers = await bytesWithWatchers(bench, server);
  await server.stop();
  const full = await bench.start(kind, await bench.filledHomes.of(kind));
  await sleep(bench.plan.settleMs);
  return { idle, bare: bareIdle, withWatchers, withObjects: megabytes(full.pids) };
}

async function bytesWithWatchers(bench: Bench, { endpoint, pids }: MeasuredServer): Promise<number> {
  await createNamespace(endpoint, NAMESPACE);
  const watch = { endpoint, namespace: NAMESPACE, watchers: bench.plan.manyWatchers, connections: CONNECTIONS };
  await bench.startLoad().call('watch', watch);
  await sleep(bench.plan.settleMs);
  return megabytes(pids);
}

const megabytes = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + residentBytes(pid), 0) / 1e6;
