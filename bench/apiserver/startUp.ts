import { startTasks } from '../processes.ts';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { ask } from '../servers/ask.ts';
import type { InProcessTasks } from '../servers/inProcess.ts';
import type { ServerKind } from '../servers/server.ts';
import { startBare } from './bare.ts';
import type { Bench } from './bench.ts';

/** From the command to the first "ready", on an empty home and on a full one. */
export async function startUp(bench: Bench): Promise<Result[]> {
  const { plan } = bench;
  const full = await bench.filledHomes.of(bench.ours);
  const rivalHome = bench.rival && (await bench.filledHomes.of(bench.rival));
  const onEmpty = async (kind: ServerKind) => ready(kind, await bench.directory());
  const rival = bench.rival;

  const measured = await rounds(
    plan.startRounds,
    {
      empty: () => onEmpty(bench.ours),
      full: () => ready(bench.ours, full),
      bare: () => bareReady(bench, full),
      inProcessEmpty: async () => inProcess(await bench.directory()),
      inProcessFull: () => inProcess(full),
      ...(rival && { rivalEmpty: () => onEmpty(rival) }),
      ...(rival && rivalHome && { rivalFull: () => ready(rival, rivalHome) }),
    },
    { warmUp: false },
  );
  const objects = `${plan.storedObjects.toLocaleString('en-US')} objects`;
  const row = (metric: string, value: number, baseline: number): Result => ({
    metric,
    value,
    unit: 'ms',
    baseline,
    better: 'less',
  });
  return resultsOf(measured, ({ empty, full: filled, bare, inProcessEmpty, inProcessFull, rivalEmpty, rivalFull }) => [
    {
      ...row('vireo up to ready, empty home, vs bare server', empty.ms, bare.ms),
      aim: { of: 'value', bound: 1000 },
    },
    row(`vireo up to ready, ${objects}, vs empty home`, filled.ms, empty.ms),
    row('server alone to ready, empty home, vs vireo up', inProcessEmpty.ms, empty.ms),
    row(`server alone to ready, ${objects}, vs vireo up`, inProcessFull.ms, filled.ms),
    ...(rivalEmpty ? [row('vireo up to ready, empty home, vs kube-apiserver', empty.ms, rivalEmpty.ms)] : []),
    ...(rivalFull ? [row(`vireo up to ready, ${objects}, vs kube-apiserver`, filled.ms, rivalFull.ms)] : []),
  ]);
}

async function ready(kind: ServerKind, directory: string) {
  const server = await kind.start(directory);
  await server.stop();
  return { ms: server.readyMs };
}

async function inProcess(home: string) {
  const process = startTasks<InProcessTasks>(new URL('../servers/inProcess.ts', import.meta.url));
  try {
    return { ms: (await process.call('start', { home })).readyMs };
  } finally {
    await process.close();
  }
}

/** A bare server to its first answer. */
async function bareReady(bench: Bench, home: string) {
  const pki = `${home}/pki`;
  const startedAt = performance.now();
  const bare = await startBare(bench, {
    port: 0,
    ca: `${pki}/ca.crt`,
    certificate: `${pki}/admin.crt`,
    key: `${pki}/admin.key`,
  });
  await ask(bare.endpoint, 'POST', '/').catch(() => undefined);
  const ms = performance.now() - startedAt;
  await bare.process.close();
  return { ms };
}
