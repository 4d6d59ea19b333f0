import { setTimeout as delay } from 'node:timers/promises';
import { settingsDefinition, settingsPath } from '../load/object.ts';
import { withCpu } from '../processes.ts';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { ask, createNamespace } from '../servers/ask.ts';
import type { MeasuredServer } from '../servers/server.ts';
import type { Bench } from './bench.ts';

const NAMESPACE = 'ruled';
const RULED = 'ruled';
const PLAIN = 'plain';
const TIMEOUT_MS = 20_000;
const POLL_MS = 20;

/** Creates of a custom resource whose schema has CEL rules, beside creates of the same one without. */
export async function rules(bench: Bench): Promise<Result[]> {
  const { plan } = bench;
  const load = bench.startLoad();
  const ours = await preparedFor(await bench.start(bench.ours));
  const rival = bench.rival && (await preparedFor(await bench.start(bench.rival)));
  const creates = ({ endpoint, pids }: MeasuredServer, plural: string) =>
    withCpu(pids, () =>
      load.call('creates', { endpoint, namespace: NAMESPACE, clients: 8, seconds: plan.secondsEach, plural }),
    );
  const measured = await rounds(plan.rounds, {
    ruled: () => creates(ours, RULED),
    plain: () => creates(ours, PLAIN),
    ...(rival && { rival: () => creates(rival, RULED) }),
  });
  return resultsOf(measured, ({ ruled, plain, rival }) => {
    const figure = { value: ruled.rate, unit: 'per second', better: 'more' } as const;
    return [
      { ...figure, metric: 'creates with CEL rules, vs without', baseline: plain.rate },
      {
        metric: "creates with CEL rules, server's CPU, vs without",
        value: ruled.cpu,
        baseline: plain.cpu,
        unit: 'µs',
        better: 'less',
      },
      ...(rival ? [{ ...figure, metric: 'creates with CEL rules, vs kube-apiserver', baseline: rival.rate }] : []),
    ];
  });
}

/** The server with both kinds, which are served a moment after they were defined. */
async function preparedFor(server: MeasuredServer): Promise<MeasuredServer> {
  const { endpoint } = server;
  await createNamespace(endpoint, NAMESPACE);
  for (const plural of [RULED, PLAIN]) {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await ask(endpoint, 'POST', definitions, settingsDefinition(plural, plural === RULED));
    await served(endpoint, settingsPath(NAMESPACE, plural));
  }
  return server;
}

async function served(endpoint: MeasuredServer['endpoint'], path: string): Promise<void> {
  for (const deadline = performance.now() + TIMEOUT_MS; ; ) {
    const found = await ask(endpoint, 'GET', path).catch((error: Error) => error);
    if (!(found instanceof Error)) return;
    if (performance.now() > deadline) throw found;
    await delay(POLL_MS);
  }
}
