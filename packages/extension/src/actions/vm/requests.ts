import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineStateChangeRequest } from '@vireo/api/kinds/kubevirt/virtualMachineStatus.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Write } from '../action.ts';
import { vmConflict } from '../refusals.ts';

/**
 * Asks the controller of VMs for starts and stops. A lone stop takes the place of what was asked before; anything
 * else waits its turn by being refused. Asking anew forgets failed starts.
 */
export function requestStateChange(vm: Vm, requests: VirtualMachineStateChangeRequest[]): Write {
  const pending = vm.status?.stateChangeRequests ?? [];
  const isLoneStop = requests.length === 1 && requests[0]?.action === 'Stop';
  if (pending.length > 0 && !isLoneStop)
    throw vmConflict(vm, 'unable to complete request: stop/start already underway');
  return { to: 'vmStatus', patch: { status: { stateChangeRequests: requests, ...forgetFailures(vm) } } };
}

/** Forgets what was asked for and not done yet: the second half of a restart would start a VM that was stopped. */
export const forgetRequests = ({ status }: VirtualMachine): Write[] =>
  status?.stateChangeRequests?.length ? [{ to: 'vmStatus', patch: { status: { stateChangeRequests: null } } }] : [];

/** Sets whether the VM runs, in the field that it uses for that. */
export const setRunning = ({ spec }: VirtualMachine, runs: boolean): Write => ({
  to: 'vm',
  patch: { spec: spec.runStrategy === undefined ? { running: runs } : { runStrategy: runs ? 'Always' : 'Halted' } },
});

/** Gives the VMI another time to shut down. */
export const setGracePeriod = (seconds: number, before: number | undefined): Write => ({
  to: 'vmi',
  patch: { spec: { terminationGracePeriodSeconds: seconds } },
  undo: { spec: { terminationGracePeriodSeconds: before ?? null } },
});

const forgetFailures = ({ status }: VirtualMachine): { startFailure?: null } =>
  status?.startFailure ? { startFailure: null } : {};
