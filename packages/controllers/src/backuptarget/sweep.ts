import type { Persisted } from '@vireo/api';
import type { BackupTarget } from '@vireo/api/kinds/harvester/backupTarget.ts';
import { backupWorkOf } from '@vireo/api/kinds/harvester/backupWork.ts';
import { type HarvesterBackup, isOnTarget } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { type BackupStore, sweepUnfinished } from '@vireo/backup';
import { BACKUP_PROTECTION } from '../vmbackup/act.ts';
import { prefixOf } from '../vmbackup/prefix.ts';
import { failureOf } from '../vmbackup/status.ts';
import { placeOf } from './currentTarget.ts';
import type { SyncParts } from './sync.ts';

/**
 * Removes what this installation has begun at a target and nobody finishes or removes any more. Comes before the target is
 * used: no backup begins meanwhile. Returns why something may be left.
 */
export async function sweepTarget(
  target: BackupTarget,
  store: BackupStore,
  { act, backups, current, workers }: SyncParts,
): Promise<string | undefined> {
  // With other credentials: it was swept when it came into use, and backups may be beginning.
  if (current.holding(placeOf(target))) return undefined;
  try {
    const isInUse = (prefix: string): boolean =>
      backups().some((backup) => prefixOf(backup) === prefix && isBeingHandled(backup)) ||
      // What is still written is removed when that has ended.
      workers().some((pod) => backupWorkOf(pod)?.prefix.startsWith(prefix));
    await sweepUnfinished(store, { home: await act.home(), isInUse });
    return undefined;
  } catch (error) {
    return `unfinished backups in ${store.description} cannot be removed: ${(error as Error).message}`;
  }
}

/** Whether the controller of backups finishes a backup, or removes what is at the target itself. */
const isBeingHandled = (backup: Persisted<HarvesterBackup>): boolean =>
  isOnTarget(backup) &&
  (failureOf(backup) === undefined || (backup.metadata.finalizers ?? []).includes(BACKUP_PROTECTION));
