import { ApiError, isDeleting, type Persisted, type Pod } from '@vireo/api';
import { backupWorkProgress, backupWorkResult, type StoredVolume } from '@vireo/api/kinds/harvester/backupWork.ts';
import {
  FOUND_BACKUP,
  type HarvesterVolumeBackup,
  isOnTarget,
} from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { MANAGED_BY } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { beginBackup, volumePrefix } from '@vireo/backup';
import type { Recorder, Result } from '@vireo/kube';
import { type CurrentTarget, placeOf, type UsableTarget } from '../backuptarget/currentTarget.ts';
import { type Content, hasFailed, type Snapshot } from '../snapshot/kinds.ts';
import { BACKUP_PROTECTION, type Backup, type BackupActions } from './act.ts';
import { backupContents, contentOfVolume, type VolumeSnapshotLookup } from './contents.ts';
import { finishBackup } from './finish.ts';
import { prefixOf } from './prefix.ts';
import { cleanUp } from './remove.ts';
import {
  begunStatus,
  failedStatus,
  failureOf,
  isDataMissing,
  missingStatus,
  progressStatus,
  readyStatus,
  takenStatus,
  waitingStatus,
} from './status.ts';
import { workerName, workerPod } from './worker.ts';

/** When a backup that waits is looked at again. */
const RETRY_MS = 15_000;

/** All that is known of one backup. */
export interface BackupState {
  readonly backup: Backup;
  readonly vm: Vm | undefined;
  /** The snapshot that the backup is made of, and its content. */
  readonly snapshot: Snapshot | undefined;
  readonly content: Content | undefined;
  readonly lookup: VolumeSnapshotLookup;
  /** The pods that work for the backup. */
  readonly pods: readonly Persisted<Pod>[];
  readonly hasNode: (name: string) => boolean;
  readonly isNamespaceTerminating: boolean;
  readonly now: Date;
}

export interface BackupParts {
  readonly act: BackupActions;
  readonly current: CurrentTarget;
  readonly recorder: Recorder;
  /** All that the cluster knows. */
  readonly backups: () => readonly Backup[];
}

/** Why a backup cannot be made. */
class BackupProblem extends Error {
  override readonly name = 'BackupProblem';
}

/** Takes a backup one step further. */
export async function reconcileBackup(state: BackupState, parts: BackupParts): Promise<Result | undefined> {
  const { backup, now } = state;
  const { act, recorder } = parts;
  if (isDeleting(backup) || failureOf(backup) !== undefined) return cleanUp(state, parts);
  // Whoever has found it at the target says what it is.
  if (!backup.status && backup.metadata.annotations?.[FOUND_BACKUP] !== undefined) return undefined;
  if (isOnTarget(backup) && !backup.metadata.finalizers?.includes(BACKUP_PROTECTION)) {
    await act.take(backup);
    return undefined;
  }
  if (backup.status?.readyToUse || isDataMissing(backup)) return settle(state, parts);
  try {
    return await advance(state, parts);
  } catch (error) {
    if (error instanceof BackupProblem) {
      await act.writeStatus(backup, failedStatus(backup, error.message, now));
      recorder.event(backup, 'Warning', 'VirtualMachineBackupError', error.message);
      return undefined;
    }
    // The server's refusals are retried as those of other controllers are; targets have moods of their own.
    if (error instanceof ApiError || !(error instanceof Error)) throw error;
    return wait(state, parts, error.message);
  }
}

async function wait({ backup, now }: BackupState, { act }: BackupParts, why: string): Promise<Result> {
  await act.writeStatus(backup, waitingStatus(backup, why, now));
  return { requeueAfterMs: RETRY_MS };
}

async function advance(state: BackupState, parts: BackupParts): Promise<Result | undefined> {
  const { backup, vm, now } = state;
  const { act, current } = parts;
  if (!backup.status?.sourceUID) {
    if (!vm) throw new BackupProblem(`VirtualMachine ${backup.spec.source.name} does not exist`);
    if (isOnTarget(backup) && !current.usable) return wait(state, parts, current.problem);
    const backupTarget = isOnTarget(backup) && current.usable ? placeOf(current.usable.target) : undefined;
    await act.writeStatus(backup, begunStatus(backup, { sourceUID: vm.metadata.uid, backupTarget }, now));
    return undefined;
  }
  if (!backup.status.volumeBackups) return takeSnapshot(state, parts);
  if (!isOnTarget(backup)) {
    await finish(state, parts);
    return undefined;
  }
  const usable = current.holding(backup.status.backupTarget);
  if (usable) return store(state, usable, parts);
  if (current.mayHold(backup.status.backupTarget)) return wait(state, parts, current.problem);
  throw new BackupProblem('the backup target was changed before the backup was complete');
}

/** The states of all disks at one moment, and the VM as it is then. */
async function takeSnapshot(state: BackupState, { act }: BackupParts): Promise<Result | undefined> {
  const { backup, vm, snapshot, content, lookup, now } = state;
  if (!snapshot) {
    if (vm?.metadata.uid !== backup.status?.sourceUID)
      throw new BackupProblem(`VirtualMachine ${backup.spec.source.name} was deleted before the backup was taken`);
    await act.createSnapshot(backup).catch(asProblem);
    return undefined;
  }
  if (isDeleting(snapshot)) throw new BackupProblem(`VirtualMachineSnapshot ${snapshot.metadata.name} was deleted`);
  if (hasFailed(snapshot)) throw new BackupProblem(snapshot.status?.error?.message ?? 'the snapshot of the VM failed');
  if (!snapshot.status?.readyToUse || !content) return undefined;
  const kept = new Set((content.spec.volumeBackups ?? []).map(({ volumeName }) => volumeName));
  const leftOut = onClaims(content).filter((name) => !kept.has(name));
  if (leftOut.length > 0)
    throw new BackupProblem(`volume ${leftOut.join(', ')}: the storage of the claim does not support snapshots`);
  await act.writeStatus(backup, takenStatus(backup, backupContents(content, lookup), now));
  return undefined;
}

/** The snapshot is refused for good: there may be no room left in a quota that there was when the backup was asked for. */
function asProblem(error: unknown): never {
  const isRefusal = error instanceof ApiError && [400, 403, 422].includes(error.code);
  throw isRefusal ? new BackupProblem(`the snapshot of the VM was refused: ${error.message}`) : error;
}

/** The volumes of the VM that have data of their own. */
const onClaims = ({ spec }: Content): string[] =>
  (spec.source.virtualMachine?.spec?.template.spec?.volumes ?? []).flatMap(
    ({ name, persistentVolumeClaim, dataVolume }) => (persistentVolumeClaim || dataVolume ? [name] : []),
  );

/** Has nodes copy the volumes to the target, and makes a backup of them when all are there. */
async function store(state: BackupState, usable: UsableTarget, parts: BackupParts): Promise<Result | undefined> {
  const { backup, snapshot, pods, now } = state;
  const { act } = parts;
  const prefix = prefixOf(backup) ?? '';
  const volumes = backup.status?.volumeBackups ?? [];
  if (!snapshot || isDeleting(snapshot))
    throw new BackupProblem('the snapshot of the VM was deleted before it was stored');
  const podOf = (index: number) => pods.find(({ metadata }) => metadata.name === workerName(backup, index));
  if (volumes.some((_, index) => !podOf(index))) await beginBackup(usable.store, prefix, { home: await act.home() });
  const stored: Record<string, StoredVolume> = {};
  const percents = new Map<string, number>();
  for (const [index, volume] of volumes.entries()) {
    const { volumeName = '' } = volume;
    const pod = podOf(index);
    if (!pod) await act.createPod(uploader(state, index, volume, usable));
    // One that somebody has deleted is made anew when it is gone.
    const result = pod && !isDeleting(pod) ? backupWorkResult(pod) : undefined;
    if (result && 'error' in result) throw new BackupProblem(`volume ${volumeName}: ${result.error}`);
    if (result) stored[volumeName] = result;
    percents.set(volumeName, pod ? backupWorkProgress(pod) : 0);
  }
  if (Object.keys(stored).length < volumes.length) {
    await act.writeStatus(
      backup,
      progressStatus(backup, (name) => percents.get(name) ?? 0, now),
    );
    return undefined;
  }
  await finishBackup(backup, stored, usable.store, act);
  await finish(state, parts);
  return undefined;
}

function uploader(state: BackupState, index: number, volume: HarvesterVolumeBackup, { target }: UsableTarget) {
  const { backup, hasNode, lookup } = state;
  const content = contentOfVolume(volume, lookup);
  const node = content?.metadata.labels?.[MANAGED_BY];
  const about = `volume ${volume.volumeName}`;
  if (!content) throw new BackupProblem(`${about}: VolumeSnapshot ${volume.name} was deleted before it was stored`);
  if (!node) throw new BackupProblem(`${about}: only volumes of Vireo's own storage can be backed up to a target`);
  if (!hasNode(node)) throw new BackupProblem(`${about}: node ${node}, which has it, was removed`);
  return workerPod(backup, index, node, {
    operation: 'upload',
    target,
    prefix: volumePrefix(prefixOf(backup) ?? '', volume.volumeName ?? ''),
    volumeSnapshotContent: content.metadata.name,
  });
}

async function finish({ backup, now }: BackupState, { act, recorder }: BackupParts): Promise<void> {
  await act.writeStatus(backup, readyStatus(backup, now));
  recorder.event(backup, 'Normal', 'VirtualMachineBackupComplete', `Backed up VM ${backup.spec.source.name}`);
}

/** What a backup was made with goes when it is there. */
async function settle({ backup, snapshot, pods, now }: BackupState, { act }: BackupParts): Promise<undefined> {
  for (const pod of pods) if (!isDeleting(pod)) await act.deletePod(pod);
  if (isOnTarget(backup)) {
    if (snapshot && !isDeleting(snapshot)) await act.deleteSnapshot(snapshot);
  } else if (!snapshot && backup.status?.readyToUse) {
    await act.writeStatus(backup, missingStatus(backup, 'the VirtualMachineSnapshot was deleted', now));
  }
}
