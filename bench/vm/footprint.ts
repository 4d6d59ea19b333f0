import { readdirSync } from 'node:fs';
import type { VireoWithMachines } from '../machines/vireo.ts';
import { residentBytes } from '../processes.ts';
import type { Result } from '../report.ts';
import { runBatch } from './batch.ts';
import type { Bench } from './bench.ts';

/**
 * What a running machine costs our process: memory and file descriptors. Comes before everything else: a process that
 * has been through a lot keeps room for more, and more would then seem to cost nothing.
 */
export async function footprint({ vireo, contestants, plan, onProgress }: Bench): Promise<Result[]> {
  onProgress(`footprint: ${plan.running} running machines`);
  await runBatch(contestants.vm, { atOnce: 2, machines: 2 });
  const before = await measure(vireo);
  await runBatch(contestants.vm, { atOnce: 8, machines: plan.running });
  const after = await measure(vireo);
  await contestants.vm.clear();
  const row = (what: string, of: keyof typeof before, unit: string): Result => ({
    metric: `${what} a running VM, ${plan.running} running`,
    value: (after[of] - before[of]) / plan.running,
    unit,
    baseline: null,
    better: 'less',
  });
  return [
    { ...row('resident memory', 'residentMegabytes', 'MB'), aim: { of: 'value', bound: 2 } },
    row('memory in use', 'usedMegabytes', 'MB'),
    row('file descriptors', 'descriptors', 'descriptors'),
  ];
}

async function measure({ collectGarbage, pid }: VireoWithMachines) {
  const usedMegabytes = (await collectGarbage()) / 1e6;
  return {
    usedMegabytes,
    residentMegabytes: residentBytes(pid) / 1e6,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}
