import { isDeleting } from '@vireo/api';
import { parseDuration } from '@vireo/api/duration.ts';
import { isHandedOff } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal, isLive, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { migratedVolumes } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { type Content, hasFailed, hasSucceeded, type Snapshot } from './kinds.ts';
import { type SourceVolume, storageProblem } from './volumes.ts';

/** All that is known of one snapshot. */
export interface SnapshotState {
  readonly snapshot: Snapshot;
  /** The VM; the one that the snapshot was begun of. */
  readonly vm: Vm | undefined;
  readonly vmi: Vmi | undefined;
  readonly content: Content | undefined;
  /** The volumes of the VM that are on claims. */
  readonly volumes: readonly SourceVolume[];
  /** The VolumeSnapshots of the content that are there. */
  readonly taken: readonly VolumeSnapshot[];
  readonly nowMs: number;
}

/** What comes next. Each step is safe to be done again. */
export type Step =
  /** The snapshot goes. */
  | { readonly step: 'end' }
  /** It has failed: whatever is left of it goes. */
  | { readonly step: 'clear' }
  /** It is there: the VM is let go, and what is said of it follows its content. */
  | { readonly step: 'settle' }
  | { readonly step: 'fail'; readonly message: string }
  /** Nothing can be done now; `reason` says why. */
  | { readonly step: 'wait'; readonly reason: string }
  | { readonly step: 'lock' }
  | { readonly step: 'createContent' }
  /** The guest is frozen where it can be, and the states of the disks are asked for. */
  | { readonly step: 'take' }
  /** The storage works. */
  | { readonly step: 'watch' }
  /** All states are taken: the guest goes on. */
  | { readonly step: 'finish' };

const DEFAULT_DEADLINE_MS = 5 * 60_000;

/** Objects tell when they were created in whole seconds, cut off. */
const CUT_OFF_MS = 1_000;

/** When a snapshot that is not taken is given up: not before it had all its time. Undefined: never. */
export function deadlineMs({ metadata, spec }: Snapshot): number | undefined {
  const allowed = parseDuration(spec.failureDeadline ?? '') ?? DEFAULT_DEADLINE_MS;
  return allowed === 0 ? undefined : Date.parse(metadata.creationTimestamp) + CUT_OFF_MS + allowed;
}

export function decide(state: SnapshotState): Step {
  const { snapshot, nowMs } = state;
  if (isDeleting(snapshot)) return { step: 'end' };
  if (hasFailed(snapshot)) return { step: 'clear' };
  if (hasSucceeded(snapshot)) return { step: 'settle' };
  const next = nextStep(state);
  const untilMs = deadlineMs(snapshot);
  if (untilMs === undefined || nowMs < untilMs) return next;
  return { step: 'fail', message: `snapshot deadline exceeded: ${waitedFor(next, state)}` };
}

/** What a snapshot that has run out of time was waiting for. */
function waitedFor(next: Step, { content, taken }: SnapshotState): string {
  if (next.step === 'wait') return next.reason;
  if (next.step === 'fail') return next.message;
  const late = taken.find(({ status }) => !status?.creationTime);
  if (next.step !== 'watch' || !late) return 'the VM was unlocked only a moment ago';
  const problem = late.status?.error?.message ?? content?.status?.error?.message;
  return `VolumeSnapshot ${late.metadata.name} has not been taken${problem ? `: ${problem}` : ''}`;
}

/** As if there were time for ever. */
function nextStep(state: SnapshotState): Step {
  const { snapshot, vm, content } = state;
  if (!vm) return { step: 'wait', reason: 'Source does not exist' };
  const held = vm.status?.snapshotInProgress;
  if (held !== snapshot.metadata.name) {
    const why = lockProblem(state, vm);
    return why ? { step: 'wait', reason: `Source not locked: ${why}` } : { step: 'lock' };
  }
  if (!content) return isMoving(state) ? { step: 'wait', reason: MIGRATING } : { step: 'createContent' };
  if (isDeleting(content)) return { step: 'fail', message: 'the content of the snapshot was deleted' };
  const wanted = content.spec.volumeBackups ?? [];
  const found = wanted.map(({ volumeSnapshotName }) =>
    state.taken.find(({ metadata }) => metadata.name === volumeSnapshotName),
  );
  if (found.some((each) => !each)) return { step: 'take' };
  return { step: found.every((each) => each?.status?.creationTime) ? 'finish' : 'watch' };
}

/** Why a snapshot waits whose VM moves to another node. */
export const MIGRATING = 'the VM is migrating';

export const isMoving = ({ vmi }: Pick<SnapshotState, 'vmi'>): boolean => vmi !== undefined && isHandedOff(vmi);

/** Why a VM cannot be taken hold of now. */
function lockProblem({ snapshot, vmi, volumes }: SnapshotState, vm: Vm): string | undefined {
  if (isDeleting(vm)) return 'the VM is being deleted';
  const other = vm.status?.snapshotInProgress;
  if (other && other !== snapshot.metadata.name) return `snapshot ${other} is in progress`;
  if (vm.status?.restoreInProgress) return `restore ${vm.status.restoreInProgress} is in progress`;
  if (vmi && !isSettled(vmi)) return 'the VM is starting or stopping';
  if (isMoving({ vmi })) return MIGRATING;
  if (vmi && isLive(vmi) && migratedVolumes(vmi).length > 0) return 'the volumes of the VM are moving to other claims';
  return storageProblem(volumes.filter(({ snapshotClass, claim }) => snapshotClass || !claim));
}

/** Whether a VMI is up or down: in between it opens and closes disks. */
const isSettled = (vmi: Vmi): boolean =>
  vmi.status?.phase === 'Running' ? !isDeleting(vmi) : isFinal(vmi) && !isDeleting(vmi);

/** The VMI as far as a guest may be running in it. */
export const liveVmi = (vmi: Vmi | undefined): Vmi | undefined => (isLive(vmi) ? vmi : undefined);
