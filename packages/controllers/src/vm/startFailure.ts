import { timestamp } from '@vireo/api';
import { hasEverRun, isFinal, type Vm, type Vmi, type VmStatus } from '../kinds.ts';

type StartFailure = NonNullable<VmStatus['startFailure']>;

const LONGEST_DELAY_SECONDS = 300;
/** The strategies that start machines by themselves, and so have to be held back. */
const PERSISTENT = ['Always', 'RerunOnFailure', 'Once'];

/** How long to wait after so many failed starts in a row. `random` gives numbers from 0 up to 1. */
export function delaySeconds(failures: number, random: () => number): number {
  const delay = 10 * failures ** 2;
  // Machines that fail together should not come back together.
  return Math.min(LONGEST_DELAY_SECONDS, delay + Math.floor(random() * (Math.floor(delay / 2) + 1)));
}

/** The failed starts of a machine, its present instance counted once. */
export function startFailure(
  vm: Vm,
  vmi: Vmi | undefined,
  runStrategy: string,
  now: Date,
  random: () => number,
): StartFailure | undefined {
  const before = vm.status?.startFailure;
  if (!PERSISTENT.includes(runStrategy)) return undefined;
  if (!vmi) return before;
  if (hasEverRun(vmi)) return undefined;
  if (!isFinal(vmi) || before?.lastFailedVMIUID === vmi.metadata.uid) return before;
  const failures = (before?.consecutiveFailCount ?? 0) + 1;
  return {
    consecutiveFailCount: failures,
    lastFailedVMIUID: vmi.metadata.uid ?? '',
    retryAfterTimestamp: timestamp(new Date(now.getTime() + delaySeconds(failures, random) * 1000)),
  };
}

/** When the next start may be tried, in milliseconds since the epoch. */
export function retryAfterMs({ status }: Vm): number | undefined {
  const at = status?.startFailure?.retryAfterTimestamp;
  return at === undefined ? undefined : Date.parse(at);
}
