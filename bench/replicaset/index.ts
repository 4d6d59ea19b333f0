import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startTasks, type TaskProcess } from '../processes.ts';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import type { Plan } from './plan.ts';
import type { ReplicaSetTasks, Taken } from './process.ts';

type Tasks = TaskProcess<ReplicaSetTasks>;

interface Figures extends Readonly<Record<string, number>> {
  readonly perSecond: number;
  /** Processor time of the whole process for each VMI, in microseconds. */
  readonly cpu: number;
  readonly writes: number;
}

/** Of every so many VMs one fails in the round with failures. */
const FAILING = 10;

/** VMs that are made and removed before anything is measured. */
const WARM_UP = 50;

/** In the order in which they are run and reported. */
export const MEASUREMENTS: Readonly<Record<string, (tasks: Tasks, plan: Plan, size: number) => Promise<Result[]>>> = {
  scaling,
  failures,
  pools,
};

/** Measures sets of stub VMs until all of them run, beside asking for the same VMs straight through the API. */
export async function replicaSets(
  plan: Plan,
  names: readonly string[],
  onProgress: (text: string) => void,
): Promise<Result[]> {
  const directory = await temporaryDirectory();
  const tasks = startTasks<ReplicaSetTasks>(new URL('./process.ts', import.meta.url));
  try {
    await tasks.call('start', { home: join(directory, 'home') });
    // Whoever is measured first would pay for compiling.
    onProgress('warming up');
    await tasks.call('scale', { count: WARM_UP });
    await tasks.call('scale', { count: 0 });
    const results: Result[] = [];
    for (const name of names)
      for (const size of plan.sizes) {
        onProgress(`${name}: ${size} VMs`);
        results.push(...(await MEASUREMENTS[name]!(tasks, plan, size)));
      }
    await tasks.call('stop', undefined);
    return results;
  } finally {
    await tasks.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** A set from nothing to so many, and back to nothing. */
async function scaling(tasks: Tasks, plan: Plan, size: number): Promise<Result[]> {
  const measured = await rounds(
    plan.rounds,
    {
      created: async () => figures(size, await tasks.call('createStraight', { count: size })),
      deleted: async () => figures(size, await tasks.call('deleteStraight', { count: size })),
      up: async () => figures(size, await tasks.call('scale', { count: size })),
      down: async () => figures(size, await tasks.call('scale', { count: 0 })),
    },
    { warmUp: false, budgetMs: (plan.budgetSeconds * 1000) / plan.sizes.length },
  );
  return resultsOf(measured, ({ created, up, deleted, down }) => [
    ...rows(`0 to ${size}`, 'straight creates', up, created, { aim: { of: 'ratio', bound: 0.87 } }),
    ...rows(`${size} to 0`, 'straight deletes', down, deleted),
  ]);
}

/** The same, while every tenth VM fails and has to be replaced. */
async function failures(tasks: Tasks, _plan: Plan, size: number): Promise<Result[]> {
  const created = figures(size, await tasks.call('createStraight', { count: size }));
  await tasks.call('deleteStraight', { count: size });
  const up = figures(size, await tasks.call('scale', { count: size, every: FAILING }));
  await tasks.call('scale', { count: 0 });
  return rows(`0 to ${size}, every ${FAILING}th fails`, 'straight creates', up, created);
}

/** A pool of VMs larger than this is not measured: each VM costs twice as much as a VMI. */
const LARGEST_POOL = 1000;

/** A pool from nothing to so many VMs, and back to nothing. */
async function pools(tasks: Tasks, plan: Plan, size: number): Promise<Result[]> {
  if (size > LARGEST_POOL) return [];
  await tasks.call('scalePool', { count: WARM_UP });
  await tasks.call('scalePool', { count: 0 });
  const measured = await rounds(
    plan.rounds,
    {
      created: async () => figures(size, await tasks.call('createVms', { count: size })),
      deleted: async () => figures(size, await tasks.call('deleteVms', { count: size })),
      up: async () => figures(size, await tasks.call('scalePool', { count: size })),
      down: async () => figures(size, await tasks.call('scalePool', { count: 0 })),
    },
    { warmUp: false, budgetMs: plan.budgetSeconds * 1000 },
  );
  return resultsOf(measured, ({ created, up, deleted, down }) => [
    // A VM of a pool costs at most 1.3 times as much as one that is created directly.
    ...rows(`pool 0 to ${size}`, 'straight creates of VMs', up, created, { aim: { of: 'ratio', bound: 0.77 } }),
    ...rows(`pool ${size} to 0`, 'straight deletes of VMs', down, deleted),
  ]);
}

const figures = (size: number, { seconds, cpuSeconds, writes }: Taken): Figures => ({
  perSecond: size / seconds,
  cpu: (cpuSeconds / size) * 1e6,
  writes: writes / size,
});

function rows(
  what: string,
  against: string,
  value: Figures,
  baseline: Figures,
  { aim }: Pick<Result, 'aim'> = {},
): Result[] {
  const row = (unit: string, metric: string, of: keyof Figures, better: Result['better']): Result => ({
    metric: `${what}${metric}, vs ${against}`,
    value: value[of]!,
    unit,
    baseline: baseline[of]!,
    better,
  });
  return [
    { ...row('per second', '', 'perSecond', 'more'), ...(aim && { aim }) },
    row('writes', ', writes per VM', 'writes', 'less'),
    row('µs', ', CPU per VM', 'cpu', 'less'),
  ];
}
