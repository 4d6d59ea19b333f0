import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startTasks } from '../processes.ts';
import type { Aim, Result } from '../report.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { FULL, type Plan } from './plan.ts';
import type { ScaleTasks, Taken } from './process.ts';

/** One for each number of nodes, so that each can be run by itself. */
export const MEASUREMENTS: readonly string[] = FULL.nodes.map((nodes) => `nodes-${nodes}`);

/** Stub VMs on simulated nodes: what each costs when there are few, and when there are many. */
export async function scale(
  plan: Plan,
  measurements: readonly string[],
  onProgress: (text: string) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const nodes of plan.nodes.filter((each) => measurements.includes(`nodes-${each}`)))
    results.push(...(await onNodes(nodes, plan, onProgress)));
  return results;
}

interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the whole process for each VM, in microseconds. */
  readonly cpu: number;
  readonly writes: number;
  readonly kilobytes: number;
  /** Time to read all metrics, in milliseconds. */
  readonly scrape: number;
}

async function onNodes(nodes: number, plan: Plan, onProgress: (text: string) => void): Promise<Result[]> {
  const directory = await temporaryDirectory();
  const tasks = startTasks<ScaleTasks>(new URL('./process.ts', import.meta.url));
  const { few, many, warmUp, atOnce } = plan;
  try {
    onProgress(`${nodes} nodes: starting`);
    await tasks.call('start', { home: join(directory, 'home'), nodes });
    await tasks.call('add', { count: warmUp, atOnce });
    await tasks.call('clear', undefined);
    onProgress(`${nodes} nodes: ${few} VMs`);
    const first = await tasks.call('add', { count: few, atOnce });
    const atFirst = await tasks.call('memory', undefined);
    const scrapeOfFew = await tasks.call('scrape', undefined);
    // Memory is measured by what more VMs add: what came before has left a history that is thrown away by and by.
    const second = await tasks.call('add', { count: few, atOnce });
    const atSecond = await tasks.call('memory', undefined);
    onProgress(`${nodes} nodes: ${many} VMs`);
    const restCount = many - 2 * few;
    const rest = await tasks.call('add', { count: restCount, atOnce });
    const atLast = await tasks.call('memory', undefined);
    const scrapeOfMany = await tasks.call('scrape', undefined);
    await tasks.call('stop', undefined);
    const small = figures(few, [first], (atSecond - atFirst) / few, scrapeOfFew);
    const large = figures(many, [first, second, rest], (atLast - atSecond) / restCount, scrapeOfMany);
    return rows(`${many} VMs on ${nodes} node${nodes === 1 ? '' : 's'}`, `${few}`, large, small);
  } finally {
    await tasks.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function figures(count: number, parts: readonly Taken[], bytesEach: number, scrape: number): Figures {
  const total = (of: (taken: Taken) => number): number => parts.reduce((sum, taken) => sum + of(taken), 0);
  const latencies = parts.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b);
  const quantile = (q: number): number => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))]!;
  return {
    perSecond: count / total(({ seconds }) => seconds),
    p50: quantile(0.5),
    p99: quantile(0.99),
    cpu: (total(({ cpuSeconds }) => cpuSeconds) / count) * 1e6,
    writes: total(({ writes }) => writes) / count,
    kilobytes: bytesEach / 1024,
    scrape,
  };
}

function rows(what: string, against: string, value: Figures, baseline: Figures): Result[] {
  const row = (
    of: keyof Figures,
    metric: string,
    unit: string,
    better: Result['better'] = 'less',
    aim?: Aim,
  ): Result => ({
    metric: `${what}${metric}, vs ${against}`,
    value: value[of],
    unit,
    baseline: baseline[of],
    better,
    ...(aim && { aim }),
  });
  return [
    row('perSecond', ' to Running', 'per second', 'more'),
    row('p50', ', median start time', 'ms'),
    row('p99', ', p99 of the start time', 'ms'),
    row('cpu', ', CPU per VM', 'µs', 'less', { of: 'ratio', bound: 1.3 }),
    row('kilobytes', ', memory per VM', 'KB', 'less', { of: 'ratio', bound: 1.3 }),
    row('writes', ', writes per VM', 'writes', 'less', { of: 'ratio', bound: 1.3 }),
    row('scrape', ', a scrape of all metrics', 'ms'),
  ];
}
