import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { BUILT } from '@vireo/dashboard';
import { openDashboard } from '../../e2e/dashboard/openDashboard.ts';
import { startTasks, type TaskProcess } from '../processes.ts';
import type { Result } from '../report.ts';
import { median, percentile } from '../rounds.ts';
import { MeasuredPage } from './page.ts';
import type { Plan } from './plan.ts';
import type { DashboardTasks } from './process.ts';

export const MEASUREMENTS = ['load', 'updates', 'scroll', 'memory'] as const;

/** Why it cannot be measured here; undefined if it can. */
export function whyNot(): string | undefined {
  if (!existsSync('/usr/bin/chromium')) return 'The dashboard was not measured: Chromium is not installed.';
  return existsSync(`${BUILT}/index.html`) ? undefined : 'The dashboard was not measured: it is not built.';
}

type Server = TaskProcess<DashboardTasks>;

/** The list of machines in Chromium, through `vireo dashboard`, of a server on the same host. */
export async function dashboard(
  plan: Plan,
  measurements: readonly string[],
  onProgress: (text: string) => void,
): Promise<Result[]> {
  if (whyNot() !== undefined) return [];
  const server = startTasks<DashboardTasks>(new URL('./process.ts', import.meta.url));
  try {
    onProgress(`making ${plan.machines} machines`);
    const { kubeconfig } = await server.call('start', { machines: plan.machines });
    const local = await openDashboard(kubeconfig);
    try {
      onProgress('opening the page');
      await using page = await MeasuredPage.open(local.address, plan.machines);
      const all: Readonly<Record<string, () => Promise<Result[]>>> = {
        load: () => loads(plan, page),
        updates: () => updates(plan, page, server),
        scroll: () => scrolls(plan, page, server),
        memory: () => memory(plan, page, server),
      };
      const results: Result[] = [];
      for (const [name, measure] of Object.entries(all)) {
        if (!measurements.includes(name)) continue;
        onProgress(name);
        results.push(...(await measure()));
      }
      return results;
    } finally {
      await local.stop();
      await server.call('stop', undefined);
    }
  } finally {
    await server.close();
  }
}

const less = { better: 'less', baseline: null } as const;

async function loads({ machines, loads: count }: Plan, page: MeasuredPage): Promise<Result[]> {
  const times: number[] = [];
  const bare: number[] = [];
  let kilobytes = 0;
  for (let load = 0; load < count; load++) {
    const loaded = await page.load(machines);
    times.push(loaded.ms);
    kilobytes = loaded.kilobytes;
    bare.push(await page.read());
  }
  return [
    { ...less, metric: 'first load, compressed', value: kilobytes, unit: 'KB', aim: { of: 'value', bound: 300 } },
    {
      ...less,
      metric: `time to a table of ${machines} machines, vs reading the lists`,
      value: median(times),
      unit: 'ms',
      baseline: median(bare),
      aim: { of: 'value', bound: 3_000 },
    },
  ];
}

/** From the moment at which the server has acknowledged a change to the frame that shows it. */
async function updates({ updates: count }: Plan, page: MeasuredPage, server: Server): Promise<Result[]> {
  const latencies: number[] = [];
  for (let update = 0; update < count; update++) {
    const node = `moved-${update}`;
    await page.lookOut(node);
    // At another moment of the page's own rhythm each time.
    await sleep(50 + Math.random() * 200);
    const { acknowledgedAtMs } = await server.call('move', { index: 0, node });
    latencies.push((await page.drawn()) - acknowledgedAtMs);
  }
  const row = (name: string, value: number): Result => ({
    ...less,
    metric: `from an acknowledged change to the frame that shows it, ${name}`,
    value,
    unit: 'ms',
    aim: { of: 'value', bound: 1_000 },
  });
  return [row('median', median(latencies)), row('99th percentile', percentile(latencies, 99))];
}

/** The longest task of the page's main thread while the list is scrolled, with and without changes. */
async function scrolls(plan: Plan, page: MeasuredPage, server: Server): Promise<Result[]> {
  const { machines, changesPerSecond: perSecond, scrollSeconds: seconds } = plan;
  const quiet = await page.scroll(seconds);
  const [busy] = await Promise.all([page.scroll(seconds), server.call('churn', { machines, perSecond, seconds })]);
  return [
    {
      ...less,
      metric: `longest task while scrolling, ${perSecond} changes a second, vs none`,
      value: busy,
      unit: 'ms',
      baseline: quiet,
      aim: { of: 'value', bound: 100 },
    },
  ];
}

async function memory(plan: Plan, page: MeasuredPage, server: Server): Promise<Result[]> {
  const { machines, changesPerSecond: perSecond, churnSeconds: seconds } = plan;
  await server.call('churn', { machines, perSecond, seconds: 5 });
  const before = await page.heap();
  await server.call('churn', { machines, perSecond, seconds });
  return [
    {
      ...less,
      metric: `memory of the page after ${seconds} s of ${perSecond} changes a second, vs before`,
      value: await page.heap(),
      unit: 'MB',
      baseline: before,
      aim: { of: 'ratio', bound: 1.2 },
    },
  ];
}
