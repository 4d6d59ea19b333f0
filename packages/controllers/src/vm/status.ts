import { type ConditionDraft, conditionOf, isConditionTrue } from '@vireo/api';
import { type Condition, setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import { VM_GENERATION_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import { runStrategyOf, type Vm, type VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal, isLive, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { migratedVolumes } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import { memoryDumpRequest } from './memoryDump.ts';
import { printableStatus, type StorageState } from './printableStatus.ts';
import { startFailure } from './startFailure.ts';
import { pendingRequests } from './stateChangeRequests.ts';
import { recoveryText, strandedVolumes } from './volumeMigration.ts';
import { remainingRequests } from './volumeRequests.ts';
import { volumeSnapshotStatuses } from './volumeSnapshotStatuses.ts';

/** What a VM's status follows from, beside the VM and its VMI. */
export interface Observed {
  /** The VMI has been deleted. */
  readonly isStopping: boolean;
  readonly storage: StorageState;
  /** Whether the storage of a claim supports snapshots; none does when missing. */
  readonly supportsSnapshots?: ((claim: string) => boolean) | undefined;
  /** What went wrong in this pass. */
  readonly failure?: ConditionDraft | undefined;
  /** Which disk a VM without a VMI waits for. */
  readonly unfilled?: ConditionDraft | undefined;
  readonly restartRequired?: ConditionDraft | undefined;
  readonly now: Date;
  /** Numbers from 0 up to 1. */
  readonly random: () => number;
}

/** Conditions that are the VM's own; all others are those of its VMI. */
const OWN = ['Ready', 'Failure', 'RestartRequired', 'ManualRecoveryRequired'];

/** The status that a VM should have. */
export function vmStatus(vm: Vm, vmi: Vmi | undefined, observed: Observed): VmStatus {
  const { isStopping, storage, now, random, supportsSnapshots = () => false } = observed;
  const before = vm.status ?? {};
  const failedStarts = startFailure(vm, vmi, runStrategyOf(vm), now, random);
  const requests = pendingRequests(before.stateChangeRequests, vmi);
  const stranded = isLive(vmi) ? undefined : strandedVolumes(vm, vmi);
  const moving = isLive(vmi) ? migratedVolumes(vmi) : (stranded ?? []);
  const status: VmStatus = {
    ...before,
    created: vmi !== undefined,
    ready: vmi !== undefined && !isFinal(vmi) && isConditionTrue(vmi, 'Ready'),
    printableStatus: printableStatus({ vm, vmi, isStopping, storage, startFailure: failedStarts }),
    conditions: conditions(vm, vmi, observed, stranded && recovery(stranded)),
    startFailure: failedStarts,
    stateChangeRequests: requests?.length ? requests : undefined,
    volumeSnapshotStatuses: volumeSnapshotStatuses(vm, supportsSnapshots),
    memoryDumpRequest: memoryDumpRequest(vm, vmi),
    volumeRequests: remainingRequests(vm, vmi),
    volumeUpdateState: moving.length > 0 ? { volumeMigrationState: { migratedVolumes: [...moving] } } : undefined,
    instancetypeRef: vm.spec.instancetype && before.instancetypeRef,
    preferenceRef: vm.spec.preference && before.preferenceRef,
    ...(vmi && {
      observedGeneration: Number(vmi.metadata.annotations?.[VM_GENERATION_ANNOTATION] ?? 0),
      desiredGeneration: vm.metadata.generation,
      runStrategy: runStrategyOf(vm),
    }),
  };
  return status;
}

const recovery = (stranded: NonNullable<ReturnType<typeof strandedVolumes>>): ConditionDraft => ({
  type: 'ManualRecoveryRequired',
  status: 'True',
  ...recoveryText(stranded),
});

function conditions(
  vm: Vm,
  vmi: Vmi | undefined,
  { failure, unfilled, restartRequired, now }: Observed,
  recoveryRequired: ConditionDraft | undefined,
): Condition[] {
  const before = vm.status?.conditions ?? [];
  const mirrored = (vmi?.status?.conditions ?? []).filter(({ type }) => !OWN.includes(type));
  const drafts = [readiness(vmi), failure, unfilled, restartRequired, recoveryRequired].filter(
    (each) => each !== undefined,
  );
  const own = setConditions(
    before.filter(({ type }) => OWN.includes(type) || type === unfilled?.type),
    drafts,
    now,
    ['Failure', 'RestartRequired', 'ManualRecoveryRequired'],
  );
  const ready = conditionOf(vmi, 'Ready');
  return [...own.map((each) => (each.type === 'Ready' && ready ? ready : each)), ...mirrored];
}

function readiness(vmi: Vmi | undefined): ConditionDraft {
  if (!vmi) return { type: 'Ready', status: 'False', reason: 'VMINotExists', message: 'VMI does not exist' };
  const ready = conditionOf(vmi, 'Ready');
  if (ready) return ready;
  return {
    type: 'Ready',
    status: 'False',
    reason: 'VMIConditionMissing',
    message: 'VMI is missing the Ready condition',
  };
}

/**
 * Whether a change of status can wait for a moment. While a VM starts, its VMI explains itself again and
 * again; nobody is helped by a write of the VM for each word of it.
 */
export function canWait(before: VmStatus, after: VmStatus, changed: Record<string, unknown>): boolean {
  if (Object.keys(changed).join() !== 'conditions') return false;
  const summary = ({ conditions }: VmStatus) =>
    (conditions ?? []).filter(({ type }) => OWN.includes(type)).map(({ type, status }) => `${type}=${status}`);
  return summary(before).sort().join() === summary(after).sort().join();
}
