import type { Endpoint } from '../load/connection.ts';
import { collectionPath, configMap } from '../load/object.ts';
import type { Latencies } from '../load/watchers.ts';
import type { Load } from '../load.ts';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { ask, createNamespace } from '../servers/ask.ts';
import { startBare } from './bare.ts';
import type { Bench } from './bench.ts';

const CONNECTIONS = 4;
const WRITERS = 16;

/** From write to event, against a server that tells its watchers at once and writes nothing to any disk. */
export async function watches(bench: Bench): Promise<Result[]> {
  const { plan } = bench;
  const ours = await bench.start(bench.ours);
  const bare = await startBare(bench, ours.endpoint);
  const { post, event } = await sampleEvent(ours.endpoint);
  await bare.process.call('answer', { get: {}, post, event });
  const rival = bench.rival && (await bench.start(bench.rival));
  // Each its own: the one whose turn it is not has open watches that cost nothing.
  const servers = [
    { endpoint: ours.endpoint, load: bench.startLoad(), hasNamespaces: true },
    { endpoint: bare.endpoint, load: bench.startLoad(), hasNamespaces: false },
    ...(rival ? [{ endpoint: rival.endpoint, load: bench.startLoad(), hasNamespaces: true }] : []),
  ] as const;

  const results: Result[] = [];
  for (const watchers of [1, plan.manyWatchers]) {
    const namespace = `watch-${watchers}`;
    for (const { endpoint, load, hasNamespaces } of servers) {
      if (hasNamespaces) await createNamespace(endpoint, namespace);
      await load.call('watch', { endpoint, namespace, watchers, connections: Math.min(CONNECTIONS, watchers) });
    }
    const measure = async (load: Load) => ({
      ...(await load.call('latency', { writes: plan.latencyWrites })),
      ...(await load.call('burst', { writes: plan.burstWrites, clients: WRITERS })),
    });
    const measured = await rounds(plan.rounds, {
      ours: () => measure(servers[0].load),
      bare: () => measure(servers[1].load),
      ...(servers[2] && { rival: () => measure(servers[2]!.load) }),
    });
    for (const { load } of servers) await load.call('unwatch', null);
    results.push(
      ...resultsOf(measured, ({ ours, bare, rival }) => [
        ...compare(watchers, 'bare server', ours, bare),
        ...(rival ? compare(watchers, 'kube-apiserver', ours, rival) : []),
      ]),
    );
  }
  return results;
}

type Measured = Latencies & { readonly eventsPerSecond: number };

const LATENCIES = {
  acknowledgedP50: 'acknowledged write to event, p50',
  acknowledgedP99: 'acknowledged write to event, p99',
  sentP50: 'sent write to event, p50',
  sentP99: 'sent write to event, p99',
} as const;

function compare(watchers: number, name: string, ours: Measured, baseline: Measured): Result[] {
  const who = `${watchers.toLocaleString('en-US')} ${watchers === 1 ? 'watcher' : 'watchers'}`;
  const latencies = Object.entries(LATENCIES) as [keyof Latencies, string][];
  return [
    ...latencies.map(
      ([key, what]): Result => ({
        metric: `${what}, ${who}, vs ${name}`,
        value: ours[key],
        unit: 'ms',
        baseline: baseline[key],
        better: 'less',
      }),
    ),
    {
      metric: `events per second, ${who}, vs ${name}`,
      value: ours.eventsPerSecond,
      unit: 'per second',
      baseline: baseline.eventsPerSecond,
      better: 'more',
    },
  ];
}

/** What a create is answered with, and the event that it makes. */
async function sampleEvent(endpoint: Endpoint) {
  const namespace = 'sample';
  await createNamespace(endpoint, namespace);
  const post = await ask(endpoint, 'POST', collectionPath(namespace), configMap(namespace, 'one'));
  return { post, event: Buffer.from(`{"type":"ADDED","object":${post.body}}\n`) };
}
