import { startTasks, type TaskProcess } from '../processes.ts';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { CHANGES, type Change, type Cost } from './changes.ts';
import type { Plan } from './plan.ts';
import type { RulesetTasks } from './ruleset.ts';

/** By what is measured: `endpoint more ms`. */
type Figures = Readonly<Record<string, number>>;

const NOUNS: Readonly<Record<Change, string>> = {
  endpoint: 'endpoint',
  balanced: 'endpoint of a load balancer',
  guest: 'guest',
  member: 'member of a policy',
};

/**
 * What one endpoint, guest or member of a policy more and less costs among few and among many, in time and in what the kernel is told,
 * and what a connection costs that a Service leads.
 */
export async function rules(plan: Plan, onProgress: (text: string) => void): Promise<Result[]> {
  await using cleanUp = new AsyncDisposableStack();
  const nodes = new Map<number, TaskProcess<RulesetTasks>>();
  for (const size of plan.sizes) {
    onProgress(`rules: loading ${size} Services`);
    const node = startTasks<RulesetTasks>(new URL('./ruleset.ts', import.meta.url), [], ['unshare', '--net']);
    cleanUp.defer(() => node.close());
    await node.call('open', size);
    nodes.set(size, node);
  }
  onProgress('rules: one more and one less');
  const contestants = [...nodes].map(([size, node]) => [size, () => measure(node, plan.connections)] as const);
  const options = { warmUp: plan.ruleRounds > 1, budgetMs: plan.budgetSeconds * 1000 };
  const measured = await rounds(plan.ruleRounds, Object.fromEntries(contestants), options);
  return resultsOf(measured, (figures) => rows(plan.sizes, (size) => figures[size]!));
}

async function measure(node: TaskProcess<RulesetTasks>, connections: number): Promise<Figures> {
  const figures: Record<string, number> = {};
  const put = (name: string, { ms, bytes }: Cost): void => {
    Object.assign(figures, { [`${name} ms`]: ms, [`${name} bytes`]: bytes });
  };
  // What comes first after everything was loaded pays for that, too: what was there before is cleared away meanwhile.
  for (const change of CHANGES) await node.call('change', change);
  for (const change of CHANGES) {
    const { more, less } = await node.call('change', change);
    put(`${change} more`, more);
    put(`${change} less`, less);
  }
  put('all', await node.call('reload', undefined));
  return { ...figures, ...(await node.call('connections', connections)) };
}

/** The largest beside the smallest in all respects, and those between them in the one that the others are like. */
function rows([few = 0, ...others]: readonly number[], of: (size: number) => Figures): Result[] {
  const many = others.at(-1) ?? few;
  const beside = (what: string, size: number, name: string, unit: string): Result => ({
    metric: `${what}, ${count(size)} Services, vs ${count(few)}`,
    value: of(size)[name] ?? Number.NaN,
    baseline: of(few)[name] ?? Number.NaN,
    unit,
    better: 'less',
  });
  const timeAim = { aim: { of: 'ratio', bound: 1.3 } } as const;
  return [
    ...others.map((size) => ({ ...beside('one endpoint more', size, 'endpoint more ms', 'ms'), ...timeAim })),
    { ...beside('one endpoint less', many, 'endpoint less ms', 'ms'), ...timeAim },
    beside('one endpoint more: what the kernel is told', many, 'endpoint more bytes', 'bytes'),
    ...(['balanced', 'guest', 'member'] as const).flatMap((change) => [
      { ...beside(`one ${NOUNS[change]} more`, many, `${change} more ms`, 'ms'), ...timeAim },
      { ...beside(`one ${NOUNS[change]} less`, many, `${change} less ms`, 'ms'), ...timeAim },
      beside(`one ${NOUNS[change]} more: what the kernel is told`, many, `${change} more bytes`, 'bytes'),
    ]),
    {
      metric: `one endpoint more, ${count(many)} Services, vs loading all rules`,
      value: of(many)['endpoint more ms'] ?? Number.NaN,
      baseline: of(many)['all ms'] ?? Number.NaN,
      unit: 'ms',
      better: 'less',
    },
    {
      metric: `connection through one of ${count(many)} Services, vs directly`,
      value: of(many).service ?? Number.NaN,
      baseline: of(many).direct ?? Number.NaN,
      unit: 'ms',
      better: 'less',
    },
  ];
}

const count = (number: number): string => number.toLocaleString('en-US');
