import { conditionOf, isDeleting } from '@vireo/api';
import { runStrategyOf, type Vm, type VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal, isLive, isMigrating, isPaused, isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

/** How far the volumes of a VM are. */
export type StorageState = 'ready' | 'failed' | 'provisioning' | 'waitingForBinding';

export interface Facts {
  readonly vm: Vm;
  readonly vmi: Vmi | undefined;
  /** The VMI has been deleted, whether or not the cache shows it. */
  readonly isStopping: boolean;
  readonly storage: StorageState;
  readonly startFailure: VmStatus['startFailure'];
}

/** The words for a VM's state and what each means; the first that fits is shown. */
const STATUSES: readonly (readonly [word: string, fits: (facts: Facts) => boolean])[] = [
  ['Terminating', ({ vm }) => isDeleting(vm)],
  ['Stopping', ({ vmi, isStopping }) => isLive(vmi) && (isDeleting(vmi) || isStopping)],
  ['Migrating', ({ vmi }) => isLive(vmi) && isMigrating(vmi)],
  ['Paused', ({ vmi }) => isRunning(vmi) && isPaused(vmi)],
  ['Running', ({ vmi }) => isPhase(vmi, 'Running')],
  ['ErrorPvcNotFound', ({ vmi }) => isOutOfSync(vmi, 'FailedPvcNotFound')],
  ['DataVolumeError', ({ storage }) => storage === 'failed'],
  ['ErrorUnschedulable', ({ vmi }) => isUnschedulable(vmi)],
  ['Provisioning', ({ storage }) => storage === 'provisioning'],
  ['WaitingForVolumeBinding', ({ storage }) => storage === 'waitingForBinding'],
  ['ErrImagePull', ({ vmi }) => isOutOfSync(vmi, 'ErrImagePull') || isOutOfSync(vmi, 'InvalidImageName')],
  ['ImagePullBackOff', ({ vmi }) => isOutOfSync(vmi, 'ImagePullBackOff')],
  ['Starting', ({ vmi }) => isPhase(vmi, '', 'Pending', 'Scheduling', 'Scheduled')],
  ['CrashLoopBackOff', isCrashLooping],
  ['Stopped', ({ vmi }) => !vmi || isFinal(vmi)],
  ['WaitingForReceiver', ({ vmi }) => isPhase(vmi, 'WaitingForSync')],
];

/** The state of a VM in a word, as `kubectl get vm` shows it. */
export const printableStatus = (facts: Facts): string => STATUSES.find(([, fits]) => fits(facts))?.[0] ?? 'Unknown';

const isPhase = (vmi: Vmi | undefined, ...phases: string[]): boolean =>
  vmi !== undefined && phases.includes(vmi.status?.phase ?? '');

function isOutOfSync(vmi: Vmi | undefined, reason: string): boolean {
  const condition = conditionOf(vmi, 'Synchronized');
  return isLive(vmi) && condition?.status === 'False' && condition.reason === reason;
}

function isUnschedulable(vmi: Vmi | undefined): boolean {
  const condition = conditionOf(vmi, 'PodScheduled');
  return isLive(vmi) && condition?.status === 'False' && condition.reason === 'Unschedulable';
}

function isCrashLooping({ vm, vmi, startFailure }: Facts): boolean {
  if (isLive(vmi) || !['Always', 'RerunOnFailure', 'Once'].includes(runStrategyOf(vm))) return false;
  return (startFailure?.consecutiveFailCount ?? 0) > 0;
}
