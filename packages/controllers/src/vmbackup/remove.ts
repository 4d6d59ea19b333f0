import { isDeleting } from '@vireo/api';
import { backupWorkResult } from '@vireo/api/kinds/harvester/backupWork.ts';
import { isOnTarget } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { removeBackup } from '@vireo/backup';
import type { Result } from '@vireo/kube';
import { BACKUP_PROTECTION } from './act.ts';
import { prefixOf } from './prefix.ts';
import type { BackupParts, BackupState } from './reconcile.ts';

/** When the work on a backup was last cancelled, by uid. */
export type Cancelled = Map<string, number>;

/** How long a node may take to stop what was cancelled: what it wrote after that would stay. */
const STOPPING_MS = 3_000;
const RETRY_MS = 15_000;

/** Ends a backup that has failed or is deleted: what works for it stops, and what is at the target goes. */
export async function cleanUp(state: BackupState, parts: BackupParts): Promise<Result | undefined> {
  const { backup, pods, snapshot, now } = state;
  const { act, cancelled } = parts;
  const { uid, finalizers = [] } = backup.metadata;
  if (pods.length > 0) {
    for (const pod of pods) if (!isDeleting(pod)) await act.deletePod(pod);
    if (pods.some((pod) => !backupWorkResult(pod))) cancelled.set(uid, now.getTime());
  }
  if (snapshot && !isDeleting(snapshot) && (isOnTarget(backup) || !isDeleting(backup)))
    await act.deleteSnapshot(snapshot);
  if (!finalizers.includes(BACKUP_PROTECTION)) return undefined;
  const leftMs = (cancelled.get(uid) ?? 0) + STOPPING_MS - now.getTime();
  if (leftMs > 0) return { requeueAfterMs: leftMs };
  const waiting = await removeData(state, parts);
  if (waiting) return waiting;
  cancelled.delete(uid);
  await act.release(backup);
  return undefined;
}

/** Removes what is at the target, if that is still the one. Returns when to try again. */
async function removeData(state: BackupState, { current, recorder }: BackupParts): Promise<Result | undefined> {
  const { backup, isNamespaceTerminating } = state;
  const { status } = backup;
  const prefix = prefixOf(backup);
  // Who deletes a namespace may do so by mistake: what is whole then stays, and is found again.
  const isKept = isNamespaceTerminating && status?.readyToUse === true;
  if (!prefix || !isOnTarget(backup) || isKept) return undefined;
  const usable = current.holding(status?.backupTarget);
  try {
    if (usable) await removeBackup(usable.store, prefix);
    else if (current.mayHold(status?.backupTarget)) throw new Error(current.problem);
    return undefined;
  } catch (error) {
    const why = `the data at the backup target cannot be removed: ${(error as Error).message}`;
    recorder.event(backup, 'Warning', 'BackupNotRemoved', `${why}; to leave it there, set another backup target`);
    return { requeueAfterMs: RETRY_MS };
  }
}
