import { conditionOf, type Pod } from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';

/** What is seen of a VM that is on its way up. */
export interface Observed {
  readonly vm: Pick<VirtualMachine, 'status'>;
  /** Of its disk, where that is a claim. */
  readonly dataVolume?: Pick<DataVolume, 'status'> | undefined;
  readonly vmi?: Pick<VirtualMachineInstance, 'status'> | undefined;
  readonly launcher?: Pick<Pod, 'status'> | undefined;
}

/** How a VM is on its way up. */
export interface Progress {
  /** What is waited for. */
  readonly step: string;
  readonly percent?: number;
  /** Why it is not further, where somebody said so. */
  readonly cause?: string;
  /** No waiting helps. */
  readonly hasFailed: boolean;
  readonly isRunning: boolean;
  /** The guest agent has reported. */
  readonly isConnected: boolean;
}

/** Conditions that tell why a VM does not run, the most telling first. */
const REPORTED_CONDITIONS = ['Failure', 'PodScheduled', 'Synchronized', 'DataVolumesReady', 'Ready'];
/** What they say while all is well. */
const ORDINARY = ['VMINotExists', 'VMIConditionMissing', 'PodNotExists', 'GuestNotRunning', 'ContainersNotReady'];

/** What the objects of a VM say about its way up. */
export function progressOf(observed: Observed): Progress {
  const { vm, dataVolume, vmi } = observed;
  const printable = vm.status?.printableStatus ?? 'Pending';
  const isRunning = printable === 'Running';
  const isConnected = conditionOf({ status: vmi?.status }, 'AgentConnected')?.status === 'True';
  const state = { isRunning, isConnected, hasFailed: false };
  if (isRunning) return { step: 'Running', ...state };
  const filling = dataVolume && fillingOf(dataVolume);
  if (filling) return { ...state, ...filling };
  const cause = causeOf(vm) ?? pullOf(observed);
  return { step: printable, ...state, ...(cause && { cause }) };
}

const DONE = ['Succeeded', 'WaitForFirstConsumer', 'PendingPopulation'];

/** How far the disk is; undefined where nothing is left to wait for. */
function fillingOf({ status }: Pick<DataVolume, 'status'>): (Partial<Progress> & { step: string }) | undefined {
  const { phase = 'Pending', progress = '' } = status ?? {};
  if (DONE.includes(phase)) return undefined;
  const running = conditionOf({ status }, 'Running');
  const bound = conditionOf({ status }, 'Bound');
  if (phase === 'Failed') return { step: 'The disk cannot be created', hasFailed: true, ...causes(running?.message) };
  if (phase !== 'ImportInProgress') {
    const isHeld = bound?.status === 'False' && bound.reason !== 'NotFound' && bound.message?.includes(': ');
    return { step: 'Creating the disk', ...(isHeld && causes(bound.message)) };
  }
  const percent = /^[\d.]+%$/.test(progress) ? Math.floor(Number.parseFloat(progress)) : undefined;
  const isStuck = running?.status === 'False' && running.reason !== 'Completed';
  return {
    step: 'Importing the image',
    ...(percent !== undefined && !isStuck && { percent }),
    ...(running?.status === 'True' && causes(running.message)),
    ...(isStuck && running.message && causes(`${running.message} (retrying)`)),
  };
}

const causes = (message: string | undefined): { cause?: string } => (message ? { cause: message } : {});

/** Why a VM does not run. */
function causeOf(vm: Pick<VirtualMachine, 'status'>): string | undefined {
  const conditions = REPORTED_CONDITIONS.flatMap((type) => conditionOf(vm, type) ?? []);
  const isBad = ({ type, status }: { type: string; status: string }): boolean =>
    type === 'Failure' ? status === 'True' : status === 'False';
  return conditions.find((each) => isBad(each) && each.message && !ORDINARY.includes(each.reason ?? ''))?.message;
}

/** How far the pull of an ephemeral disk is, as the launcher pod says. */
function pullOf({ launcher }: Observed): string | undefined {
  const message = launcher?.status?.containerStatuses?.map(({ state }) => state?.waiting?.message).find(Boolean);
  return message?.startsWith('pulling image') ? message : undefined;
}
