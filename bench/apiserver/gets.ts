import type { Endpoint } from '../load/connection.ts';
import { collectionPath, configMap } from '../load/object.ts';
import { withCpu } from '../processes.ts';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { ask, createNamespace } from '../servers/ask.ts';
import { startBare } from './bare.ts';
import type { Bench } from './bench.ts';

const NAMESPACE = 'bench';
const SESSIONS = 4;
const STREAMS = 8;

/** One object of 2 KB, again and again, against a server that sends the same bytes and does nothing else. */
export async function gets(bench: Bench): Promise<Result[]> {
  const { plan } = bench;
  const load = bench.startLoad();
  const ours = await bench.start(bench.ours);
  const path = await prepare(ours.endpoint);
  const bare = await startBare(bench, ours.endpoint);
  await bare.process.call('answer', { get: { [path]: await ask(ours.endpoint, 'GET', path) } });
  const rival = bench.rival && (await bench.start(bench.rival));
  if (rival) await prepare(rival.endpoint);

  const shape = { path, sessions: SESSIONS, streams: STREAMS, seconds: plan.secondsEach };
  const measure = (endpoint: Endpoint, pids: readonly number[]) =>
    withCpu(pids, () => load.call('gets', { ...shape, endpoint }));
  const measured = await rounds(plan.rounds, {
    ours: () => measure(ours.endpoint, ours.pids),
    bare: () => measure(bare.endpoint, [bare.process.pid]),
    ...(rival && { rival: () => measure(rival.endpoint, rival.pids) }),
  });
  const against = (name: string, ours: Speed, baseline: Speed): Result[] => [
    {
      metric: `GET of 2 KB, vs ${name}`,
      value: ours.rate,
      unit: 'per second',
      baseline: baseline.rate,
      better: 'more',
    },
    {
      metric: `GET of 2 KB, server's CPU, vs ${name}`,
      value: ours.cpu,
      unit: 'µs',
      baseline: baseline.cpu,
      better: 'less',
    },
  ];
  return resultsOf(measured, ({ ours, bare, rival }) => {
    const [rate, cpu] = against('bare server', ours, bare);
    return [
      { ...rate!, aim: { of: 'ratio', bound: 0.7 } },
      cpu!,
      ...(rival ? against('kube-apiserver', ours, rival) : []),
    ];
  });
}

interface Speed {
  readonly rate: number;
  readonly cpu: number;
}

/** The path of an object that is there now. */
async function prepare(endpoint: Endpoint): Promise<string> {
  await createNamespace(endpoint, NAMESPACE);
  await ask(endpoint, 'POST', collectionPath(NAMESPACE), configMap(NAMESPACE, 'one'));
  return `${collectionPath(NAMESPACE)}/one`;
}
