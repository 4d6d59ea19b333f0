import { conditionOf, isConditionTrue, isDeleting } from '@vireo/api';
import { runStrategyOf, type Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal, isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

/** A VM and its instance, as far as they are there. */
export interface Observed {
  readonly vm?: Vm;
  readonly vmi?: Vmi;
}

/** How far a VM is on the way to a goal. */
export type Progress =
  | { readonly state: 'reached'; readonly detail?: string }
  /** The server cannot tell; the guest has to be asked on its port 22. */
  | { readonly state: 'ask ssh' }
  | { readonly state: 'waiting'; readonly why: string }
  /** It cannot come about unless somebody does something. */
  | { readonly state: 'hopeless'; readonly why: string; readonly hint?: string };

export type Goal = 'running' | 'agent' | 'address' | 'ssh' | 'stopped' | 'deleted';

/** What can be waited for, and what the objects say about it. */
export const GOALS: Readonly<Record<Goal, (observed: Observed, name: string) => Progress>> = {
  running: (observed, name) => whileRunning(observed, name, () => ({ state: 'reached' })),
  agent: (observed, name) =>
    whileRunning(observed, name, (vmi) =>
      isConditionTrue(vmi, 'AgentConnected')
        ? { state: 'reached' }
        : { state: 'waiting', why: 'it is running, but its guest agent is not connected' },
    ),
  address: (observed, name) =>
    whileRunning(observed, name, (vmi) => {
      const address = vmi.status?.interfaces?.map(({ ipAddress }) => ipAddress).find(Boolean);
      return address
        ? { state: 'reached', detail: address }
        : { state: 'waiting', why: 'it is running, but has not reported an address' };
    }),
  ssh: (observed, name) => whileRunning(observed, name, () => ({ state: 'ask ssh' })),
  stopped: ({ vm, vmi }, name) => {
    if (!vm && !vmi) return gone(name);
    if (!vmi && vm && isStarting(vm)) return { state: 'waiting', why: 'it is about to start' };
    return !vmi || isFinal(vmi)
      ? { state: 'reached' }
      : { state: 'waiting', why: `its VMI is ${vmi.status?.phase ?? 'Pending'}` };
  },
  deleted: ({ vm, vmi }) => {
    if (!vm && !vmi) return { state: 'reached' };
    const isDeleted = Boolean((vm ?? vmi)?.metadata.deletionTimestamp);
    return { state: 'waiting', why: isDeleted ? 'its guest is shutting down' : 'it has not been deleted' };
  },
};

function whileRunning({ vm, vmi }: Observed, name: string, decide: (vmi: Vmi) => Progress): Progress {
  if (!vm && !vmi) return gone(name);
  if (vmi && isStopping(vmi, vm)) return { state: 'waiting', why: 'its guest is shutting down' };
  if (vmi && isRunning(vmi)) return decide(vmi);
  if (!vm) {
    return vmi && isFinal(vmi)
      ? {
          state: 'hopeless',
          why: `it is ${vmi.status?.phase}, and no VM owns it that could restart it`,
        }
      : { state: 'waiting', why: `it is ${vmi?.status?.phase ?? 'Pending'}` };
  }
  if (!vmi && isStopped(vm)) {
    const { namespace } = vm.metadata;
    return { state: 'hopeless', why: 'it is stopped', hint: `To start it: vireo start ${name} -n ${namespace}` };
  }
  return { state: 'waiting', why: whyNotRunning(vm) };
}

/** Whether this instance is about to end: a restart replaces it with another one. */
const isStopping = (vmi: Vmi, vm: Vm | undefined): boolean =>
  isDeleting(vmi) ||
  (vm?.status?.stateChangeRequests ?? []).some(({ action, uid }) => action === 'Stop' && uid === vmi.metadata.uid);

const gone = (name: string): Progress => ({
  state: 'hopeless',
  why: `VM ${name} not found`,
  hint: 'To list VMs: vireo list -A. To use another namespace: -n NAMESPACE.',
});

/** Whether a VM without an instance stays so until somebody starts it. */
function isStopped(vm: Vm): boolean {
  if (hasRequests(vm) || runStrategyOf(vm) === 'Always') return false;
  return runStrategyOf(vm) === 'Halted' || vm.status?.printableStatus === 'Stopped';
}

/** Whether a VM without an instance gets one without anybody's doing. */
function isStarting(vm: Vm): boolean {
  if (vm.metadata.deletionTimestamp) return false;
  return hasRequests(vm) || !(isStopped(vm) || runStrategyOf(vm) === 'Manual');
}

const hasRequests = (vm: Vm): boolean => (vm.status?.stateChangeRequests ?? []).length > 0;

function whyNotRunning(vm: Vm): string {
  const status = `it is ${vm.status?.printableStatus ?? 'Pending'}`;
  const problems = ['Failure', 'PodScheduled', 'Synchronized', 'DataVolumesReady', 'Ready'].flatMap((type) => {
    const condition = conditionOf(vm, type);
    const isBad = condition?.status === (type === 'Failure' ? 'True' : 'False');
    return isBad && condition?.message ? [condition.message] : [];
  });
  return problems[0] ? `${status}: ${problems[0]}` : status;
}
