import { isDeleting, timestamp } from '@vireo/api';
import type { Vm, VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import { hasEverRun, isFinal, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

type StartFailure = NonNullable<VmStatus['startFailure']>;

const LONGEST_DELAY_SECONDS = 300;
/** A guest that ends sooner than this after it began to run counts as a failed start. */
const STABLE_AFTER_MS = 60_000;
/** The strategies that start VMs by themselves, and so have to be held back. */
const AUTO_START_STRATEGIES = ['Always', 'RerunOnFailure', 'Once'];

/** How long to wait after so many failed starts in a row. `random` gives numbers from 0 up to 1. */
export function delaySeconds(failures: number, random: () => number): number {
  const delay = 10 * failures ** 2;
  // VMs that fail together should not come back together.
  return Math.min(LONGEST_DELAY_SECONDS, delay + Math.floor(random() * (Math.floor(delay / 2) + 1)));
}

/**
 * The failed starts of a VM, its present VMI counted once. A guest that ends as soon as it runs has not
 * started either: it would be started again and again without a pause.
 */
export function startFailure(
  vm: Vm,
  vmi: Vmi | undefined,
  runStrategy: string,
  now: Date,
  random: () => number,
): StartFailure | undefined {
  const before = vm.status?.startFailure;
  if (!AUTO_START_STRATEGIES.includes(runStrategy)) return undefined;
  if (!vmi) return before;
  if (!isFinal(vmi)) return hasEverRun(vmi) && !isNotYetStable(vmi, now.getTime()) ? undefined : before;
  if (before?.lastFailedVMIUID === vmi.metadata.uid) return before;
  if (!hasEverRun(vmi)) return countFailure(1);
  if (!isNotYetStable(vmi, endedAtMs(vmi))) return undefined;
  if (isDeleting(vmi) || !isRunAgain(runStrategy, vmi)) return before;
  // It did run: the first time there is no reason to wait.
  return countFailure(0);

  function countFailure(firstDelay: 0 | 1): StartFailure {
    const failures = (before?.consecutiveFailCount ?? 0) + 1;
    const seconds = delaySeconds(failures - 1 + firstDelay, random);
    return {
      consecutiveFailCount: failures,
      lastFailedVMIUID: vmi?.metadata.uid ?? '',
      retryAfterTimestamp: timestamp(new Date(now.getTime() + seconds * 1000)),
    };
  }
}

/** When a guest that runs counts as started for good; undefined where that is not known. */
export function stableAtMs(vmi: Vmi): number | undefined {
  const runningAt = reachedAtMs(vmi, ['Running']);
  return runningAt === undefined ? undefined : runningAt + STABLE_AFTER_MS;
}

const isNotYetStable = (vmi: Vmi, atMs: number | undefined): boolean => {
  const stableAt = stableAtMs(vmi);
  return stableAt !== undefined && atMs !== undefined && atMs < stableAt;
};

const endedAtMs = (vmi: Vmi): number | undefined => reachedAtMs(vmi, ['Succeeded', 'Failed']);

function reachedAtMs({ status }: Vmi, phases: readonly string[]): number | undefined {
  const reached = status?.phaseTransitionTimestamps?.find(({ phase }) => phase && phases.includes(phase));
  const at = reached?.phaseTransitionTimestamp;
  return at ? Date.parse(at) : undefined;
}

/** Whether the VM is started again after such an end without anybody asking for it. */
const isRunAgain = (runStrategy: string, { status }: Vmi): boolean =>
  runStrategy === 'Always' || (runStrategy === 'RerunOnFailure' && status?.phase === 'Failed');

/** When the next start may be tried, in milliseconds since the epoch. */
export function retryAfterMs({ status }: Vm): number | undefined {
  const at = status?.startFailure?.retryAfterTimestamp;
  return at === undefined ? undefined : Date.parse(at);
}

/** Whether the VM was changed since its last VMI was made: that may have been the cure. */
export const isChangedSince = ({ metadata, status }: Vm): boolean =>
  status?.desiredGeneration !== undefined && metadata.generation !== status.desiredGeneration;
