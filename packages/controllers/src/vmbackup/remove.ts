import { isDeleting, type Persisted, type Pod } from '@vireo/api';
import { backupWorkOf } from '@vireo/api/kinds/harvester/backupWork.ts';
import { isOnTarget } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { prefixOfVolume, removeBackup, removeUnfinished } from '@vireo/backup';
import type { Result } from '@vireo/kube';
import { placeOf } from '../backuptarget/currentTarget.ts';
import { BACKUP_PROTECTION } from './act.ts';
import { prefixOf } from './prefix.ts';
import type { BackupParts, BackupState } from './reconcile.ts';

const RETRY_MS = 15_000;
/** After how long somebody is told that a node does not stop. */
const STOPPING_MS = 30_000;

/** Ends a backup that has failed or is deleted: what works for it stops, and then what is at the target goes. */
export async function cleanUp(state: BackupState, parts: BackupParts): Promise<Result | undefined> {
  const { backup, pods, snapshot } = state;
  const { act } = parts;
  for (const pod of pods) if (!isDeleting(pod)) await act.deletePod(pod);
  if (snapshot && !isDeleting(snapshot) && (isOnTarget(backup) || !isDeleting(backup)))
    await act.deleteSnapshot(snapshot);
  if (!backup.metadata.finalizers?.includes(BACKUP_PROTECTION)) return undefined;
  // What nodes wrote after the removal would stay.
  if (pods.length > 0 || (await act.isWorkedFor(backup))) return waitForNodes(state, parts);
  const waiting = await removeData(state, parts);
  if (waiting) return waiting;
  await act.release(backup);
  return undefined;
}

function waitForNodes({ backup, pods, now }: BackupState, { recorder }: BackupParts): Result {
  const sinceMs = now.getTime() - STOPPING_MS;
  const slow = pods.find(({ metadata }) => Date.parse(metadata.deletionTimestamp ?? '') < sinceMs);
  if (slow)
    recorder.event(
      backup,
      'Warning',
      'BackupNotRemoved',
      `node ${slow.spec?.nodeName} has not said yet that it has stopped copying, so the data at the backup target cannot ` +
        `be removed; if its host is off for good: vireo node fence ${slow.spec?.nodeName}, or delete the Node`,
    );
  return { requeueAfterMs: RETRY_MS };
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

/** Removes what was written for a backup that is gone without having been removed. At other targets, it is swept later. */
export async function removeStray(pod: Persisted<Pod>, { act, backups, current }: BackupParts): Promise<void> {
  const request = backupWorkOf(pod);
  const usable = request && current.holding(placeOf(request.target));
  if (!usable) return;
  const prefix = prefixOfVolume(request.prefix);
  if (backups().some((backup) => prefixOf(backup) === prefix)) return;
  await removeUnfinished(usable.store, prefix, { home: await act.home() });
}
