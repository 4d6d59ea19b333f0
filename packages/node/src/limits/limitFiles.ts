import type { GuestLimits } from '@vireo/hypervisor';
import type { Hierarchy } from './hierarchies.ts';

/** A file of a group and what to write to it. */
export interface GroupFile {
  readonly name: string;
  readonly value: string;
  /** Some kernels do not have it: swap may not be counted, and old ones end one process at a time. */
  readonly isOptional?: boolean;
}

const PERIOD_US = 100_000;
/** The kernel takes no less. */
const MIN_QUOTA_US = 1_000;
/** What one CPU weighs in either version: the share of a group that nobody has changed. */
const SHARES_PER_CPU = 1024;
const WEIGHT_PER_CPU = 100;

/** The files of a guest's group, in the order of writing. */
export function limitFiles({ version, controllers }: Hierarchy, limits: GuestLimits): GroupFile[] {
  const files = FILES[version];
  return controllers.flatMap((controller) => files[controller](limits));
}

/** The files of the group that holds all guests: together they weigh as much as the CPUs of the host. */
export const parentFiles = ({ version, controllers }: Hierarchy, cpus: number): GroupFile[] =>
  controllers.includes('cpu') ? [cpuShareFile(version, cpus * SHARES_PER_CPU)] : [];

const FILES: Record<1 | 2, Record<Hierarchy['controllers'][number], (limits: GuestLimits) => GroupFile[]>> = {
  1: {
    memory: ({ memoryBytes }) => [
      // Memory alone may never exceed memory and swap, not even between two writes.
      { name: 'memory.memsw.limit_in_bytes', value: '-1', isOptional: true },
      { name: 'memory.limit_in_bytes', value: String(memoryBytes) },
      { name: 'memory.memsw.limit_in_bytes', value: String(2n * memoryBytes), isOptional: true },
    ],
    cpu: ({ cpuShares, cpuMillis }) => [
      cpuShareFile(1, cpuShares),
      { name: 'cpu.cfs_period_us', value: String(PERIOD_US) },
      { name: 'cpu.cfs_quota_us', value: cpuMillis === undefined ? '-1' : String(quotaUs(cpuMillis)) },
    ],
    pids: ({ tasks }) => [{ name: 'pids.max', value: String(tasks) }],
  },
  2: {
    memory: ({ memoryBytes }) => [
      { name: 'memory.max', value: String(memoryBytes) },
      { name: 'memory.swap.max', value: String(memoryBytes), isOptional: true },
      // A guest without its helpers, or the other way round, is of no use.
      { name: 'memory.oom.group', value: '1', isOptional: true },
    ],
    cpu: ({ cpuShares, cpuMillis }) => [
      cpuShareFile(2, cpuShares),
      { name: 'cpu.max', value: `${cpuMillis === undefined ? 'max' : quotaUs(cpuMillis)} ${PERIOD_US}` },
    ],
    pids: ({ tasks }) => [{ name: 'pids.max', value: String(tasks) }],
  },
};

const quotaUs = (cpuMillis: number): number => Math.max(MIN_QUOTA_US, (cpuMillis * PERIOD_US) / 1000);

function cpuShareFile(version: 1 | 2, shares: number): GroupFile {
  if (version === 1) return { name: 'cpu.shares', value: String(Math.min(262_144, shares)) };
  const weight = Math.round((shares * WEIGHT_PER_CPU) / SHARES_PER_CPU);
  return { name: 'cpu.weight', value: String(Math.min(10_000, Math.max(1, weight))) };
}
