import {
  ApiError,
  ControllerRevision,
  isDeleting,
  isReason,
  type KubeObject,
  type Persisted,
  PersistentVolumeClaim,
  type StorageClass,
} from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { LAST_RESTORE, RESTORE_PROTECTION } from '@vireo/api/kinds/snapshot/names.ts';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { type Client, parseKey, type Recorder, type Result } from '@vireo/kube';
import { type Content, hasFailed as hasSnapshotFailed, type Snapshot } from '../snapshot/kinds.ts';
import type { SubresourceCalls } from '../subresources.ts';
import type { RestoreActions } from './act.ts';
import { isOwned, restoredClaim } from './claim.ts';
import { hasFailed, isComplete, Restore, restoreMark } from './kinds.ts';
import { type PlannedVolume, planVolumes, replacedDataVolumes } from './plan.ts';
import { readiness } from './readiness.ts';
import { restoredExisting, restoredNew, restoredSpec, revisionsOf, withRevisions } from './restoredVm.ts';
import { completeStatus, failedStatus, progressingStatus, waitingStatus } from './status.ts';

/** When a restore that waits is looked at again. */
const RETRY_MS = 5000;

/** All that is known of one restore; objects by their names in its namespace. */
export interface RestoreState {
  readonly restore: Restore;
  readonly vm: Vm | undefined;
  /** The VM's VMI, in whatever state. */
  readonly vmi: Vmi | undefined;
  readonly snapshot: Snapshot | undefined;
  readonly content: Content | undefined;
  claim(name: string): Persisted<PersistentVolumeClaim> | undefined;
  dataVolume(name: string): Persisted<DataVolume> | undefined;
  volumeSnapshot(name: string): Persisted<VolumeSnapshot> | undefined;
  storageClass(name: string): Persisted<StorageClass> | undefined;
  revision(name: string): Persisted<ControllerRevision> | undefined;
  /** Claims with the state of the VM's firmware. */
  readonly backendStorageClaims: readonly Persisted<PersistentVolumeClaim>[];
  readonly now: Date;
}

export interface RestoreParts {
  readonly act: RestoreActions;
  readonly subresources: SubresourceCalls;
  readonly recorder: Recorder;
}

/** Somebody took our finalizer off a restore: nobody else will let go of the VMs that it holds. */
export async function releaseVms(
  key: string,
  held: readonly Vm[],
  client: Client,
  act: RestoreActions,
): Promise<undefined> {
  const { namespace, name } = parseKey(key);
  for (const vm of held) if (!(await client.of(Restore).find(name, { namespace }))) await act.unlock(vm, name);
}

/** Why a restore cannot go on: for now, or for good. */
class RestoreProblem extends Error {
  override readonly name = 'RestoreProblem';
  readonly isFinal: boolean;
  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** Carries out a write that fails the restore for good if the server finds it invalid: a retry would not mend it. */
async function failIfInvalid(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw isReason(error, 'Invalid', 'BadRequest') ? new RestoreProblem(error.message, true) : error;
  }
}

/** Takes a restore one step further. */
export async function reconcileRestore(state: RestoreState, parts: RestoreParts): Promise<Result | undefined> {
  const { restore, vm, now } = state;
  const { act, recorder } = parts;
  if (isDeleting(restore)) return end(state, parts);
  if (isComplete(restore) || hasFailed(restore)) {
    if (vm) await act.unlock(vm, restore.metadata.name);
    return undefined;
  }
  if (!restore.status) {
    const initializing = 'Initializing VirtualMachineRestore';
    await act.writeStatus(restore, progressingStatus(restore, initializing, initializing, now));
    return undefined;
  }
  const { finalizers = [], ownerReferences = [] } = restore.metadata;
  if (!finalizers.includes(RESTORE_PROTECTION) || (vm && ownerReferences.length === 0)) {
    await act.take(restore, vm);
    return undefined;
  }
  try {
    return await advance(state, parts);
  } catch (error) {
    const isRefusal = error instanceof ApiError && [400, 403, 404, 422].includes(error.code);
    if (!(error instanceof RestoreProblem) && !isRefusal) throw error;
    const isNews = restore.status.conditions?.every(({ reason }) => reason !== error.message);
    if (error instanceof RestoreProblem && error.isFinal) {
      await act.writeStatus(restore, failedStatus(restore, error.message, now));
      recorder.event(restore, 'Warning', 'Operation failed', error.message);
      return undefined;
    }
    await act.writeStatus(restore, waitingStatus(restore, error.message, now));
    if (isNews) recorder.event(restore, 'Warning', 'VirtualMachineRestoreError', error.message);
    return { requeueAfterMs: RETRY_MS };
  }
}

async function advance(state: RestoreState, parts: RestoreParts): Promise<Result | undefined> {
  const { restore, vm, now } = state;
  const { act, recorder } = parts;
  const isWritten = vm?.metadata.annotations?.[LAST_RESTORE] === restoreMark(restore);
  // Once the VM is written it is whole: whatever it does is no longer our concern.
  const waiting = isWritten ? undefined : await untilReady(state, parts);
  if (waiting) return waiting;
  const content = keptContent(state);
  const planned = planVolumes(restore, content);
  if (vm && !isWritten && vm.status?.restoreInProgress !== restore.metadata.name) {
    await act.lock(vm, restore);
    return undefined;
  }
  const restores = planned.map(({ restored }) => restored);
  if (!restore.status?.restores) {
    const deletedDataVolumes = replacedDataVolumes(vm, planned);
    const doing = progressingStatus(restore, 'Creating new PVCs', 'Waiting for new PVCs', now);
    await act.writeStatus(restore, {
      ...doing,
      restores,
      ...(deletedDataVolumes.length > 0 && { deletedDataVolumes }),
    });
    return undefined;
  }
  const vmSpec = async (): Promise<Vm['spec']> => {
    const names = await act.copyRevisions(revisionsOf(content.spec.source.virtualMachine?.spec), restore);
    return withRevisions(restoredSpec(content, planned), names);
  };
  // Disks that are replaced are gone: the VM has to be one that the server takes.
  if (vm && !isWritten && planned.some((each) => isOldClaimPresent(state, each))) {
    const spec = restoredExisting(vm, await vmSpec());
    await failIfInvalid(() => act.replaceSpec(vm, spec, restore, { dryRun: true }));
  }
  if (!isWritten && !(await provideClaims(state, content, planned, parts))) {
    await act.writeStatus(restore, progressingStatus(restore, 'Creating new PVCs', 'Waiting for new PVCs', now));
    return { requeueAfterMs: RETRY_MS };
  }
  if (!vm || !isWritten) {
    await act.writeStatus(
      restore,
      progressingStatus(restore, 'Updating target spec', 'Waiting for target update', now),
    );
    const spec = await vmSpec();
    await failIfInvalid(async () => {
      if (vm) await act.replaceSpec(vm, restoredExisting(vm, spec), restore);
      else await act.createVm(restoredNew(restore, content, spec));
    });
    return undefined;
  }
  await completeRestore(state, vm, planned, parts);
  await act.writeStatus(restore, completeStatus(restore, now));
  recorder.event(
    restore,
    'Normal',
    'VirtualMachineRestoreComplete',
    `Successfully completed VirtualMachineRestore ${restore.metadata.name}`,
  );
  return undefined;
}

/** Undefined when the target can be worked on. */
async function untilReady(
  state: RestoreState,
  { act, subresources, recorder }: RestoreParts,
): Promise<Result | undefined> {
  const { restore, vm, vmi, now } = state;
  const ready = readiness(restore, vm, vmi, now.getTime());
  if (ready.is === 'ready') return undefined;
  if (ready.is === 'refused') throw new RestoreProblem(ready.reason, true);
  const isNews = restore.status?.conditions?.every(({ reason }) => reason !== ready.reason);
  if (vm) {
    // Somebody started it before we took hold of it. Nobody can stop a VM that is held, nor can we.
    await act.unlock(vm, restore.metadata.name);
    if (ready.is === 'toStop') await subresources.stop(vm);
  }
  await act.writeStatus(restore, waitingStatus(restore, ready.reason, now));
  if (isNews) recorder.event(restore, 'Normal', 'RestoreTargetNotReady', ready.reason);
  return { requeueAfterMs: RETRY_MS };
}

/** The content of the snapshot; it has to be whole, and of the VM that it is to be put on. */
function keptContent({ restore, vm, snapshot, content }: RestoreState): Content {
  const { virtualMachineSnapshotName: name, target } = restore.spec;
  const about = `VirtualMachineSnapshot ${name}`;
  if (!snapshot || isDeleting(snapshot)) {
    // What has begun cannot be ended without it, and the VM is held as long as somebody tries.
    const hasBegun = restore.status?.restores !== undefined || vm?.status?.restoreInProgress === restore.metadata.name;
    throw hasBegun
      ? new RestoreProblem(`${about} was deleted while it was being restored`, true)
      : new RestoreProblem(`${about} does not exist`);
  }
  if (hasSnapshotFailed(snapshot)) throw new RestoreProblem(`${about} has failed and contains no data`, true);
  if (!snapshot.status?.readyToUse || !content) throw new RestoreProblem(`${about} is not ready to use`);
  const isWritten = vm?.metadata.annotations?.[LAST_RESTORE] === restoreMark(restore);
  if (vm && !isWritten && vm.metadata.uid !== snapshot.status.sourceUID)
    throw new RestoreProblem(`VirtualMachine ${target.name} is not the VM of ${about}: choose a new name`);
  return content;
}

/** Whether all claims are there, with their data or waiting only for somebody to use them. */
async function provideClaims(
  state: RestoreState,
  content: Content,
  planned: readonly PlannedVolume[],
  { act }: RestoreParts,
): Promise<boolean> {
  const { restore, vm } = state;
  let isAll = true;
  for (const each of planned) {
    const { persistentVolumeClaim: name, volumeSnapshotName } = each.restored;
    const claim = state.claim(name);
    if (claim && !isRestored(claim, restore)) {
      if (!isInPlace(each))
        throw new RestoreProblem(`PersistentVolumeClaim ${name} already exists and is not owned by this restore`);
      await deleteOldClaim(state, claim, act);
      isAll = false;
    } else if (!claim) {
      const restoreSize = state.volumeSnapshot(volumeSnapshotName)?.status?.restoreSize;
      if (restoreSize === undefined)
        throw new RestoreProblem(`VolumeSnapshot ${volumeSnapshotName} is not ready to use`);
      const claimed = restoredClaim(restore, content, each, { vm, restoreSize: String(restoreSize) });
      await failIfInvalid(() => act.createClaim(claimed));
      isAll = false;
    } else if (claim.status?.phase === 'Lost') {
      throw new RestoreProblem(`PersistentVolumeClaim ${name} has lost its volume`, true);
    } else if (claim.status?.phase !== 'Bound' && !waitsForUser(claim, state)) isAll = false;
  }
  return isAll;
}

/** Whether a volume comes back under the name that its claim had. */
const isInPlace = ({ backup, restored }: PlannedVolume): boolean =>
  restored.persistentVolumeClaim === backup.persistentVolumeClaim.metadata?.name;

/** Whether a claim stands where another is to be. */
function isOldClaimPresent({ claim, restore }: RestoreState, planned: PlannedVolume): boolean {
  const found = claim(planned.restored.persistentVolumeClaim);
  return found !== undefined && isInPlace(planned) && !isRestored(found, restore);
}

/** What is in the place of a claim goes first. */
async function deleteOldClaim(
  state: RestoreState,
  claim: Persisted<PersistentVolumeClaim>,
  act: RestoreActions,
): Promise<void> {
  const dataVolume = state.dataVolume(claim.metadata.name);
  if (dataVolume && !isRestored(dataVolume, state.restore) && !isDeleting(dataVolume))
    await act.remove(DataVolume, dataVolume);
  if (!isDeleting(claim)) await act.remove(PersistentVolumeClaim, claim);
}

const isRestored = ({ metadata }: KubeObject, restore: Restore): boolean =>
  metadata.annotations?.[LAST_RESTORE] === restoreMark(restore);

function waitsForUser({ spec }: Persisted<PersistentVolumeClaim>, { storageClass }: RestoreState): boolean {
  return storageClass(spec?.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer';
}

/** The VM is written: what belongs to it becomes its own, what it no longer has goes, and it may start. */
async function completeRestore(
  state: RestoreState,
  vm: Vm,
  planned: readonly PlannedVolume[],
  { act }: RestoreParts,
): Promise<void> {
  const { restore } = state;
  for (const { restored } of planned) {
    if (restored.dataVolumeName && !state.dataVolume(restored.dataVolumeName))
      await act.createDataVolume(vm, restored.dataVolumeName, restore);
    const claim = state.claim(restored.persistentVolumeClaim);
    if (claim && isOwned(restore)) await act.own(PersistentVolumeClaim, claim, vm);
  }
  for (const name of revisionsOf(vm.spec)) {
    const revision = state.revision(name);
    if (revision) await act.own(ControllerRevision, revision, vm);
  }
  for (const name of restore.status?.deletedDataVolumes ?? []) {
    const dataVolume = state.dataVolume(name);
    if (dataVolume && !isDeleting(dataVolume)) await act.remove(DataVolume, dataVolume);
  }
  for (const claim of state.backendStorageClaims)
    if (!isRestored(claim, restore) && !isDeleting(claim) && hasState(planned, state))
      await act.remove(PersistentVolumeClaim, claim);
  await act.unlock(vm, restore.metadata.name);
}

/** Whether the firmware's state is among what is restored: the one of before would else be taken for it. */
const hasState = (planned: readonly PlannedVolume[], { backendStorageClaims, restore }: RestoreState): boolean =>
  planned.some(({ restored }) =>
    backendStorageClaims.some(
      (claim) => claim.metadata.name === restored.persistentVolumeClaim && isRestored(claim, restore),
    ),
  );

/**
 * A restore that goes lets go of its VM; claims of one that never got there go with it, but for those that took the
 * place of others: there is nothing else left of that data.
 */
async function end(state: RestoreState, { act }: RestoreParts): Promise<undefined> {
  const { restore, vm } = state;
  if (!restore.metadata.finalizers?.includes(RESTORE_PROTECTION)) return;
  const isWritten = vm?.metadata.annotations?.[LAST_RESTORE] === restoreMark(restore);
  if (!isComplete(restore) && !isWritten)
    for (const { persistentVolumeClaim: name, volumeName } of restore.status?.restores ?? []) {
      const claim = state.claim(name);
      if (claim && !isNameOfOriginal(state, name, volumeName) && isRestored(claim, restore) && !isDeleting(claim))
        await act.remove(PersistentVolumeClaim, claim);
    }
  if (vm) await act.unlock(vm, restore.metadata.name);
  await act.release(restore);
}

/** Whether a claim that was restored has the name of the one before; its snapshot may be gone by now. */
function isNameOfOriginal({ restore, vm, content }: RestoreState, name: string, volumeName: string): boolean {
  const { volumeRestorePolicy, volumeRestoreOverrides = [] } = restore.spec;
  const isRenamed = volumeRestoreOverrides.some((each) => each.volumeName === volumeName && each.restoreName);
  const isOfVm = (vm?.spec.template.spec?.volumes ?? []).some((volume) => claimNameOf(volume) === name);
  const wasThere = (content?.spec.volumeBackups ?? []).some(
    ({ persistentVolumeClaim }) => persistentVolumeClaim.metadata?.name === name,
  );
  return (volumeRestorePolicy === 'InPlace' && !isRenamed) || isOfVm || wasThere;
}
