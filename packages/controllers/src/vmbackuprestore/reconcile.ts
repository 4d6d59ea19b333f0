import {
  ApiError,
  isDeleting,
  type Persisted,
  type PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type StorageClass,
  servingNodeOf,
} from '@vireo/api';
import { IMPORT_FATAL, RUNNING_MESSAGE } from '@vireo/api/kinds/cdi/names.ts';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import { backupWorkProgress, backupWorkResult } from '@vireo/api/kinds/harvester/backupWork.ts';
import { type HarvesterBackup, isBackupReady, isOnTarget } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import {
  backupKeyOf,
  type HarvesterVolumeRestore,
  isRestoreComplete,
  NETWORKS_MISSING,
  networksMissing,
  RESTORE_PROTECTION,
  restoreFailure,
} from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { readBackup, volumePrefix } from '@vireo/backup';
import type { Recorder, Result } from '@vireo/kube';
import type { CurrentTarget, UsableTarget } from '../backuptarget/currentTarget.ts';
import { revisionsOf } from '../restore/restoredVm.ts';
import { asBackupDocument, type BackupDocument, forEachKind } from '../vmbackup/document.ts';
import { prefixOf } from '../vmbackup/prefix.ts';
import { workerName, workerPod } from '../vmbackup/worker.ts';
import type { BackupRestoreActions } from './act.ts';
import { holderOf } from './holder.ts';
import { namedObjects } from './objects.ts';
import {
  claimDraft,
  LAST_RESTORE,
  plannedRestores,
  type Restore,
  type RestoreStorage,
  replacedClaims,
  restoreMark,
} from './plan.ts';
import { newVm, ownedVolumes, restoredSpec, startedStrategy, volumesWithoutData } from './restoredVm.ts';
import { completeStatus, failedStatus, progressingStatus, restoringStatus } from './status.ts';

/** When a restore that waits is looked at again. */
const RETRY_MS = 15_000;

/** All that is known of one restore; objects by their names in its namespace. */
export interface BackupRestoreState {
  readonly restore: Restore;
  readonly backup: Persisted<HarvesterBackup> | undefined;
  readonly vm: Vm | undefined;
  readonly vmi: Vmi | undefined;
  /** The pods that work for the restore. */
  readonly pods: readonly Persisted<Pod>[];
  readonly storage: RestoreStorage;
  claim(name: string): Persisted<PersistentVolumeClaim> | undefined;
  volume(name: string): Persisted<PersistentVolume> | undefined;
  storageClass(name: string): Persisted<StorageClass> | undefined;
  /** Whether a VM other than the target names a claim. */
  isNamedByOthers(claim: string): boolean;
  readonly now: Date;
}

export interface BackupRestoreParts {
  readonly act: BackupRestoreActions;
  readonly current: CurrentTarget;
  readonly recorder: Recorder;
}

/** Why a backup cannot be restored. */
class RestoreProblem extends Error {
  override readonly name = 'RestoreProblem';
}

/** Takes a restore one step further. */
export async function reconcileBackupRestore(
  state: BackupRestoreState,
  parts: BackupRestoreParts,
): Promise<Result | undefined> {
  const { restore, now } = state;
  const { act, recorder } = parts;
  if (isDeleting(restore) || isRestoreComplete(restore) || restoreFailure(restore) !== undefined) {
    await end(state, act);
    return undefined;
  }
  if (!restore.metadata.finalizers?.includes(RESTORE_PROTECTION)) {
    await act.take(restore);
    return undefined;
  }
  try {
    return await advance(state, parts);
  } catch (error) {
    const isRefusal = error instanceof ApiError && [400, 403, 404, 422].includes(error.code);
    if (error instanceof RestoreProblem || isRefusal) {
      await act.writeStatus(restore, failedStatus(restore, error.message, now));
      recorder.event(restore, 'Warning', 'VirtualMachineRestoreError', error.message);
      return undefined;
    }
    // Targets have moods; what the server says is retried as by other controllers.
    if (error instanceof ApiError || !(error instanceof Error)) throw error;
    await act.writeStatus(restore, progressingStatus(restore, {}, error.message, now));
    return { requeueAfterMs: RETRY_MS };
  }
}

async function advance(state: BackupRestoreState, parts: BackupRestoreParts): Promise<Result | undefined> {
  const { restore, vm, now } = state;
  const { act, recorder } = parts;
  const backup = usableBackup(state);
  const isWritten = isRestored(vm, restore);
  if (!isWritten) expectTarget(state);
  if (!restore.status?.restores) {
    const restores = plannedRestores(restore, backup, state.storage);
    const deletedVolumes = replacedClaims(vm, restore, restores);
    const status = { restores, progress: 0, ...(deletedVolumes.length > 0 && { deletedVolumes }) };
    await act.writeStatus(restore, progressingStatus(restore, status, 'Restoring the volumes', now));
    return undefined;
  }
  if (vm && !isWritten && vm.status?.restoreInProgress !== holderOf(restore.metadata.name)) {
    await act.lock(vm, restore);
    return undefined;
  }
  const document = isOnTarget(backup) ? await documentOf(backup, parts.current) : undefined;
  if (!isWritten) {
    if (!(await restoreVolumes(state, backup, document, parts))) return undefined;
    await writeVm(state, backup, document, act);
    return undefined;
  }
  if (!vm) return undefined;
  await settle(state, vm, backup, act);
  const missing = await act.missingNetworks(vm);
  await act.writeStatus(restore, completeStatus(restore, vm, missing, now));
  recorder.event(restore, 'Normal', 'VirtualMachineRestoreComplete', `Restored VM ${vm.metadata.name}`);
  if (missing.length > 0)
    recorder.event(restore, 'Warning', NETWORKS_MISSING, networksMissing(vm.metadata.name, missing));
  return undefined;
}

const isRestored = (object: Pick<Persisted, 'metadata'> | undefined, restore: Restore): boolean =>
  object?.metadata.annotations?.[LAST_RESTORE] === restoreMark(restore);

function usableBackup({ restore, backup }: BackupRestoreState): Persisted<HarvesterBackup> {
  const about = `VirtualMachineBackup ${backupKeyOf(restore)}`;
  if (!backup || isDeleting(backup)) throw new RestoreProblem(`${about} does not exist`);
  if (!isBackupReady(backup)) throw new RestoreProblem(`${about} is not ready to use`);
  const empty = volumesWithoutData(backup);
  if (empty.length > 0) throw new RestoreProblem(`the backup has no data of volume ${empty.join(', ')}`);
  return backup;
}

/** What admission has looked at may be otherwise by now. */
function expectTarget({ restore, vm, vmi }: BackupRestoreState): void {
  const { newVM, target } = restore.spec;
  const about = `VirtualMachine ${target.name}`;
  if (newVM && vm) throw new RestoreProblem(`${about} exists already`);
  if (newVM) return;
  if (!vm || isDeleting(vm)) throw new RestoreProblem(`${about} does not exist`);
  if (vmi) throw new RestoreProblem(`${about} must be stopped before it can be replaced`);
  const { restoreInProgress } = vm.status ?? {};
  if (restoreInProgress && restoreInProgress !== holderOf(restore.metadata.name))
    throw new RestoreProblem(`${about}: restore ${restoreInProgress} is in progress`);
}

async function documentOf(backup: Persisted<HarvesterBackup>, current: CurrentTarget): Promise<BackupDocument> {
  const usable = current.holding(backup.status?.backupTarget);
  if (!usable) {
    if (current.mayHold(backup.status?.backupTarget)) throw new Error(current.problem);
    throw new RestoreProblem('the backup is stored at another target than the one that is set');
  }
  const read = await readBackup(usable.store, prefixOf(backup) ?? '');
  const document = read && asBackupDocument(read);
  if (!document) throw new RestoreProblem(`the backup is not there any more: ${usable.store.description}`);
  return document;
}

/** Whether all claims are there with their data, or wait only for somebody to use them. */
async function restoreVolumes(
  state: BackupRestoreState,
  backup: Persisted<HarvesterBackup>,
  document: BackupDocument | undefined,
  { act, current }: BackupRestoreParts,
): Promise<boolean> {
  const { restore, now } = state;
  const percents = new Map<string, number>();
  let isAll = true;
  for (const [index, each] of (restore.status?.restores ?? []).entries()) {
    const { volumeName = '' } = each;
    const claim = state.claim(each.persistentVolumeClaimSpec?.metadata?.name ?? '');
    if (!claim) await act.createClaim(claimDraft(restore, backup, each));
    else if (!isRestored(claim, restore))
      throw new RestoreProblem(`PersistentVolumeClaim ${claim.metadata.name} exists and is not of this restore`);
    if (claim?.status?.phase === 'Lost')
      throw new RestoreProblem(`PersistentVolumeClaim ${claim.metadata.name} has lost its volume`);
    const usable = current.holding(backup.status?.backupTarget);
    const percent =
      claim && document && usable
        ? await fill(state, { index, each, claim, document, usable, prefix: prefixOf(backup) ?? '' }, act)
        : claim && !document && isUsable(claim, state)
          ? 100
          : 0;
    percents.set(volumeName, percent);
    isAll &&= percent === 100;
  }
  if (!isAll)
    await act.writeStatus(
      restore,
      restoringStatus(restore, (name) => percents.get(name) ?? 0, now),
    );
  return isAll;
}

interface Filling {
  readonly index: number;
  readonly each: HarvesterVolumeRestore;
  readonly claim: Persisted<PersistentVolumeClaim>;
  readonly document: BackupDocument;
  readonly usable: UsableTarget;
  readonly prefix: string;
}

/** Has a node bring the data of a claim; how much of it is there, in percent. */
async function fill(
  { restore, pods, volume }: BackupRestoreState,
  { index, each, claim, document, usable, prefix }: Filling,
  act: BackupRestoreActions,
): Promise<number> {
  if (!waitsForData(claim)) return 100;
  const { volumeName = '' } = each;
  const { annotations = {}, name, namespace = '', uid } = claim.metadata;
  const pod = pods.find(({ metadata }) => metadata.name === workerName(restore, index));
  const result = pod && backupWorkResult(pod);
  if (result && 'error' in result) throw new RestoreProblem(`volume ${volumeName}: ${result.error}`);
  if (annotations[IMPORT_FATAL] === 'true')
    throw new RestoreProblem(`volume ${volumeName}: ${annotations[RUNNING_MESSAGE] ?? 'the data cannot be restored'}`);
  // The last word has the claim.
  if (pod) return Math.min(99, backupWorkProgress(pod));
  const stored = document.volumes[volumeName];
  if (!stored) throw new RestoreProblem(`the backup has no data of volume ${volumeName}`);
  const bound = claim.status?.phase === 'Bound' ? volume(claim.spec?.volumeName ?? '') : undefined;
  const node = bound && servingNodeOf(bound);
  if (!node) return 0;
  await act.createPod(
    workerPod(restore, index, node, {
      operation: 'restore',
      target: usable.target,
      prefix: volumePrefix(prefix, volumeName),
      sha256: stored.sha256,
      claim: { namespace, name, uid },
    }),
  );
  return 0;
}

/** Claims of some classes get their volume when somebody uses them. */
const isUsable = ({ spec, status }: Persisted<PersistentVolumeClaim>, { storageClass }: BackupRestoreState): boolean =>
  status?.phase === 'Bound' || storageClass(spec?.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer';

/** Makes the VM, or gives it the spec that was backed up. It stays stopped for now. */
async function writeVm(
  { restore, vm }: BackupRestoreState,
  backup: Persisted<HarvesterBackup>,
  document: BackupDocument | undefined,
  act: BackupRestoreActions,
): Promise<void> {
  const named = revisionsOf(backup.status?.source?.spec);
  const kept = document?.revisions.filter(({ name }) => named.includes(name)) ?? (await act.revisions(named, restore));
  const renamed = {
    ...(await forEachKind((objects, field) =>
      act.restoreObjects(objects, namedObjects(objects, document?.[field] ?? [], backup), restore),
    )),
    revisions: await act.restoreRevisions(kept, restore),
    namespace: { from: backup.metadata.namespace ?? '', to: restore.metadata.namespace ?? '' },
  };
  const spec = restoredSpec(backup, restore.status?.restores ?? [], renamed);
  if (!vm) return act.createVm(newVm(restore, backup, spec));
  // While it is held, nobody may say whether it is to run.
  const { running, runStrategy } = vm.spec;
  const { runStrategy: _, ...rest } = spec;
  return act.replaceVm(vm, { ...rest, ...(running === undefined ? { runStrategy } : { running: false }) }, restore);
}

/** The VM is written: what is its own goes with it, what it has no use for goes, and it may start. */
async function settle(
  state: BackupRestoreState,
  vm: Vm,
  backup: Persisted<HarvesterBackup>,
  act: BackupRestoreActions,
): Promise<void> {
  const { restore } = state;
  const owned = new Set(ownedVolumes(backup));
  const restores = restore.status?.restores ?? [];
  const claims = restores.flatMap(({ volumeName = '', persistentVolumeClaimSpec: claim }) =>
    owned.has(volumeName) ? (claim?.metadata?.name ?? []) : [],
  );
  await act.ownClaims(claims, vm, restore);
  await act.ownObjects(backup, vm, restore);
  await act.ownRestore(restore, vm);
  for (const name of restore.status?.deletedVolumes ?? []) {
    const claim = state.claim(name);
    if (claim && !isDeleting(claim) && !state.isNamedByOthers(name)) await act.removeClaim(claim);
  }
  await act.unlock(vm, restore.metadata.name);
  if (!restore.spec.haltAfterRestore) await act.start(vm, startedStrategy(backup));
}

/**
 * What a restore has begun and not ended is undone; what has worked for it goes. A VM that was written stays, and so do
 * its claims.
 */
async function end(state: BackupRestoreState, act: BackupRestoreActions): Promise<void> {
  const { restore, vm, pods } = state;
  for (const pod of pods) if (!isDeleting(pod)) await act.remove(Pod, pod);
  if (!restore.metadata.finalizers?.includes(RESTORE_PROTECTION)) return;
  if (!isRestoreComplete(restore) && !isRestored(await act.target(restore), restore)) await undo(state, act);
  if (vm) await act.unlock(vm, restore.metadata.name);
  await act.release(restore);
}

async function undo({ restore, backup, claim }: BackupRestoreState, act: BackupRestoreActions): Promise<void> {
  for (const { persistentVolumeClaimSpec } of restore.status?.restores ?? []) {
    const made = claim(persistentVolumeClaimSpec?.metadata?.name ?? '');
    if (made && isRestored(made, restore) && !isDeleting(made)) await act.remove(PersistentVolumeClaim, made);
  }
  // The backup is there as long as a restore needs it.
  if (backup) await act.removeObjects(backup, restore);
}
