import { isDeleting } from '@vireo/api';
import { runStrategyOf, type Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isChangedSince, retryAfterMs } from './startFailure.ts';
import { hasStartRequest, isPausedStart, isStopRequestedFor } from './stateChangeRequests.ts';
import { strandedVolumes } from './volumeMigration.ts';

/** What has to happen to the VMI of a VM. */
export type Decision =
  | { readonly action: 'none' }
  | { readonly action: 'start'; readonly paused: boolean }
  /** Starts kept failing: not before that moment. */
  | { readonly action: 'wait'; readonly untilMs: number }
  /** The VMI goes; `thenStart`: a start is asked for, to be done when it is gone. */
  | { readonly action: 'stop'; readonly thenStart: boolean }
  /** A VM that was halted is to run from now on. */
  | { readonly action: 'switchOn' };

const NONE: Decision = { action: 'none' };
const STOP: Decision = { action: 'stop', thenStart: false };

/** What the run strategy, the pending request and the VMI together ask for. */
export function decide(vm: Vm, vmi: Vmi | undefined, nowMs: number): Decision {
  const rule = RULES[runStrategyOf(vm)];
  if (!rule) return NONE;
  if (!vmi) return areDisksHeld(vm) ? NONE : rule.without(vm, nowMs);
  // A VMI that goes is waited for, whatever comes after it.
  return isDeleting(vmi) ? NONE : rule.with(vm, vmi);
}

/**
 * Whether a snapshot or a restore has the disks, so that a guest that started now would write to them meanwhile, or they
 * are between two claims, so that somebody has to say which.
 */
const areDisksHeld = (vm: Vm): boolean =>
  vm.status?.snapshotInProgress !== undefined ||
  vm.status?.restoreInProgress !== undefined ||
  strandedVolumes(vm, undefined) !== undefined;

interface Rule {
  with(vm: Vm, vmi: Vmi): Decision;
  without(vm: Vm, nowMs: number): Decision;
}

const RULES: Readonly<Record<string, Rule>> = {
  Always: {
    with: (vm, vmi) => (isStopRequestedFor(vm, vmi) || isFinal(vmi) ? STOP : NONE),
    without: startWhenPossible,
  },
  RerunOnFailure: {
    with(vm, vmi) {
      if (!isStopRequestedFor(vm, vmi) && !isFinal(vmi)) return NONE;
      return { action: 'stop', thenStart: vmi.status?.phase === 'Failed' };
    },
    // Without a request only a VM that has just got this strategy starts; one that succeeded stays down.
    without: (vm, nowMs) =>
      hasStartRequest(vm) || vm.status?.runStrategy !== 'RerunOnFailure' ? startWhenPossible(vm, nowMs) : NONE,
  },
  Manual: {
    with: (vm, vmi) => (isStopRequestedFor(vm, vmi) ? STOP : NONE),
    without: (vm) => (hasStartRequest(vm) ? { action: 'start', paused: isPausedStart(vm) } : NONE),
  },
  Halted: {
    with: () => STOP,
    without: (vm) => (hasStartRequest(vm) ? { action: 'switchOn' } : NONE),
  },
  Once: {
    with: () => NONE,
    without: startWhenPossible,
  },
};

function startWhenPossible(vm: Vm, nowMs: number): Decision {
  const untilMs = retryAfterMs(vm);
  if (untilMs !== undefined && untilMs > nowMs && !isChangedSince(vm)) return { action: 'wait', untilMs };
  return { action: 'start', paused: isPausedStart(vm) };
}

/** Whether the VM runs or is about to, so that what it waits for is worth telling. */
export function isSetToStart(vm: Vm, vmi: Vmi | undefined): boolean {
  const strategy = runStrategyOf(vm);
  if (strategy === 'Always' || strategy === 'Once') return true;
  return strategy !== 'Halted' && (hasStartRequest(vm) || (vmi !== undefined && !isFinal(vmi)));
}
