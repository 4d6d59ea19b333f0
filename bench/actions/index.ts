import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import type { Plan } from './plan.ts';
import { createTestBed } from './testBed.ts';

export const MEASUREMENTS = ['calls'] as const;

/** What aggregation may add to a call. */
const AIM_MS = 0.3;

/** What it costs to call an action by its path, beside the handler that does it. */
export async function actions({ rounds: count, calls }: Plan, onProgress: (text: string) => void): Promise<Result[]> {
  onProgress('starting a server');
  await using testBed = await createTestBed();
  onProgress('starting a server with a remote extension');
  await using remote = await createTestBed('remote');
  onProgress('calling an action');
  const each = (call: () => Promise<void>) => async () => {
    const startedAt = performance.now();
    for (let index = 0; index < calls; index++) await call();
    return { ms: (performance.now() - startedAt) / calls };
  };
  const measured = await rounds(count, {
    direct: each(testBed.direct),
    aggregated: each(testBed.aggregated),
    steve: each(testBed.steve),
    aggregatedOverHttps: each(testBed.aggregatedOverHttps),
    steveOverHttps: each(testBed.steveOverHttps),
    readOverHttps: each(testBed.readOverHttps),
    createOverHttps: each(testBed.createOverHttps),
    remoteOverHttps: each(remote.aggregatedOverHttps),
    remoteSteveOverHttps: each(remote.steveOverHttps),
    remoteCreateOverHttps: each(remote.createOverHttps),
  });
  const result = (metric: string, value: number, baseline: number | null): Result => ({
    metric,
    value,
    unit: 'ms',
    baseline,
    better: 'less',
  });
  return resultsOf(
    measured,
    ({ direct, aggregated, steve, aggregatedOverHttps, steveOverHttps, readOverHttps, ...more }) => [
      { ...result('added by aggregation', aggregated.ms - direct.ms, null), aim: { of: 'value', bound: AIM_MS } },
      result('call through aggregation, vs its handler', aggregated.ms, direct.ms),
      result('call through the Steve API, vs the subresource', steve.ms, aggregated.ms),
      result('call over HTTPS, vs a GET of the VM', aggregatedOverHttps.ms, readOverHttps.ms),
      result('call through the Steve API over HTTPS, vs the subresource', steveOverHttps.ms, aggregatedOverHttps.ms),
      result('call of a remote extension, vs one in process', more.remoteOverHttps.ms, aggregatedOverHttps.ms),
      result('Steve API of a remote extension, vs one in process', more.remoteSteveOverHttps.ms, steveOverHttps.ms),
      result(
        'creation asked of a remote extension, vs one in process',
        more.remoteCreateOverHttps.ms,
        more.createOverHttps.ms,
      ),
    ],
  );
}
