import { isDeleting } from '@vireo/api';
import { runStrategyOf, type Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Restore } from './kinds.ts';

/** How long a VM that runs is waited for where nothing else is said. */
const GRACE_MS = 5 * 60_000;

/** Whether the target of a restore can be worked on, and what is to be done if not. */
export type Readiness =
  | { readonly is: 'ready' }
  /** `untilMs`: it is given up then. */
  | { readonly is: 'waiting'; readonly reason: string; readonly untilMs?: number }
  | { readonly is: 'toStop'; readonly reason: string }
  | { readonly is: 'refused'; readonly reason: string };

export function readiness(
  { metadata, spec }: Restore,
  vm: Vm | undefined,
  vmi: Vmi | undefined,
  nowMs: number,
): Readiness {
  if (!vm) return { is: 'ready' };
  const { name } = vm.metadata;
  if (isDeleting(vm)) return { is: 'waiting', reason: `VirtualMachine ${name} is being deleted` };
  const { snapshotInProgress, restoreInProgress } = vm.status ?? {};
  if (snapshotInProgress) return { is: 'waiting', reason: `snapshot ${snapshotInProgress} of ${name} is in progress` };
  if (restoreInProgress && restoreInProgress !== metadata.name)
    return { is: 'waiting', reason: `restore ${restoreInProgress} of ${name} is in progress` };
  if (!vmi) return { is: 'ready' };
  const untilMs = Date.parse(metadata.creationTimestamp) + GRACE_MS;
  switch (spec.targetReadinessPolicy) {
    case 'StopTarget': {
      const reason = `Stopping VirtualMachine ${name} for the restore`;
      const isStopping = isDeleting(vmi) || runStrategyOf(vm) === 'Halted' || isStopRequested(vm, vmi);
      return isStopping ? { is: 'waiting', reason } : { is: 'toStop', reason };
    }
    case 'FailImmediate':
      return { is: 'refused', reason: `VirtualMachine ${name} must be stopped before it can be restored` };
    case 'WaitEventually':
      return { is: 'waiting', reason: `Waiting for VirtualMachine ${name} to be stopped` };
    default:
      if (nowMs >= untilMs)
        return { is: 'refused', reason: `VirtualMachine ${name} was not stopped within five minutes of the restore` };
      return {
        is: 'waiting',
        reason: `Waiting for VirtualMachine ${name} to be stopped: stop it to continue`,
        untilMs,
      };
  }
}

const isStopRequested = ({ status }: Vm, { metadata }: Vmi): boolean =>
  status?.stateChangeRequests?.some(({ action, uid }) => action === 'Stop' && uid === metadata.uid) ?? false;
