import type { Answer } from '../baseline/bareServer.ts';
import type { Endpoint } from '../load/connection.ts';
import { collectionPath } from '../load/object.ts';
import { CONTINUE, pagePath } from '../load/requests.ts';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { ask } from '../servers/ask.ts';
import { startBare } from './bare.ts';
import type { Bench } from './bench.ts';
import { fill, NAMESPACE } from './filledHomes.ts';

const PATH = collectionPath(NAMESPACE);

/** A list of thousands of objects, whole and in pages, against a server that has the answers ready. */
export async function lists(bench: Bench): Promise<Result[]> {
  const { plan } = bench;
  const load = bench.startLoad();
  const ours = await bench.start(bench.ours);
  await fill(load, ours.endpoint, plan.listedObjects);
  const bare = await startBare(bench, ours.endpoint);
  const get = { ...(await pages(ours.endpoint, undefined)), ...(await pages(ours.endpoint, plan.pageSize)) };
  await bare.process.call('answer', { get });
  const rival = bench.rival && (await bench.start(bench.rival));
  if (rival) await fill(load, rival.endpoint, plan.listedObjects);

  const results: Result[] = [];
  for (const limit of [undefined, plan.pageSize]) {
    const measure = async (endpoint: Endpoint) => ({
      ms: (await load.call('list', { endpoint, path: PATH, limit })).ms,
    });
    const measured = await rounds(plan.rounds, {
      ours: () => measure(ours.endpoint),
      bare: () => measure(bare.endpoint),
      ...(rival && { rival: () => measure(rival.endpoint) }),
    });
    const objects = plan.listedObjects.toLocaleString('en-US');
    const metric = `list of ${objects}, ${limit === undefined ? 'whole' : `pages of ${limit}`}`;
    results.push(
      ...resultsOf(measured, ({ ours, bare, rival }) => {
        const figure = { value: ours.ms, unit: 'ms', better: 'less' } as const;
        return [
          { ...figure, metric: `${metric}, vs bare server`, baseline: bare.ms },
          ...(rival ? [{ ...figure, metric: `${metric}, vs kube-apiserver`, baseline: rival.ms }] : []),
        ];
      }),
    );
  }
  return results;
}

/** Every page as the server sends it now, by its target. */
async function pages(endpoint: Endpoint, limit: number | undefined): Promise<Record<string, Answer>> {
  const answers: Record<string, Answer> = {};
  for (let token: string | undefined = ''; token !== undefined; ) {
    const target = pagePath(PATH, limit, token);
    const answer = await ask(endpoint, 'GET', target);
    answers[target] = answer;
    token = CONTINUE.exec(answer.body.subarray(0, 512).toString())?.[1];
  }
  return answers;
}
