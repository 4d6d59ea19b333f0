import { readdirSync } from 'node:fs';
import { residentBytes } from '../processes.ts';
import type { Result } from '../report.ts';
import type { VireoWithVms } from '../vms/vireo.ts';
import { runBatch } from './batch.ts';
import type { Bench } from './bench.ts';

/**
 * What a running VM costs our process: memory and file descriptors. Comes before everything else: a process that
 * has been through a lot keeps room for more, and more would then seem to cost nothing.
 */
export async function footprint({ vireo, contestants, plan, onProgress }: Bench): Promise<Result[]> {
  onProgress(`footprint: ${plan.running} running VMs`);
  await runBatch(contestants.vm, { atOnce: 2, vms: 2 });
  const before = await measure(vireo);
  await runBatch(contestants.vm, { atOnce: 8, vms: plan.running });
  const after = await measure(vireo);
  await contestants.vm.clear();
  const row = (what: string, of: keyof typeof before, unit: string): Result => ({
    metric: `${what} per running VM, ${plan.running} running`,
    value: (after[of] - before[of]) / plan.running,
    unit,
    baseline: null,
    better: 'less',
  });
  return [
    { ...row('resident memory', 'residentMegabytes', 'MB'), aim: { of: 'value', bound: 2 } },
    row('heap in use', 'usedMegabytes', 'MB'),
    row('file descriptors', 'descriptors', 'descriptors'),
  ];
}

async function measure({ collectGarbage, pid }: VireoWithVms) {
  const usedMegabytes = (await collectGarbage()) / 1e6;
  return {
    usedMegabytes,
    residentMegabytes: residentBytes(pid) / 1e6,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}
