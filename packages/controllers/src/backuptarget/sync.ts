import { isDeleting, type Persisted, type Pod } from '@vireo/api';
import type { JsonObject } from '@vireo/api/json.ts';
import { FOUND_BACKUP, type HarvesterBackup, isOnTarget } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { backupPrefix, listBackups, readBackup } from '@vireo/backup';
import { asBackupDocument, type BackupDocument } from '../vmbackup/document.ts';
import { prefixOf } from '../vmbackup/prefix.ts';
import { foundStatus, isDataMissing, missingStatus } from '../vmbackup/status.ts';
import type { BackupTargetActions } from './act.ts';
import { type CurrentTarget, placeOf, type UsableTarget } from './currentTarget.ts';

export interface SyncParts {
  readonly act: BackupTargetActions;
  readonly current: CurrentTarget;
  /** The backups that the cluster knows. */
  readonly backups: () => readonly Persisted<HarvesterBackup>[];
  /** The pods that nodes work for. */
  readonly workers: () => readonly Persisted<Pod>[];
  readonly now: () => Date;
}

/**
 * Brings the backups that the cluster knows in line with those at the target: others may have made some, and removed
 * some. Returns what could not be read.
 */
export async function syncBackups(usable: UsableTarget, parts: SyncParts): Promise<string[]> {
  const { act, backups, now } = parts;
  const found = new Set<string>();
  const problems: string[] = [];
  for await (const each of listBackups(usable.store)) {
    if ('error' in each) {
      problems.push(each.error.message);
      continue;
    }
    const document = documentAt(each.prefix, each.document);
    if (!document) {
      problems.push(`${each.prefix} in ${usable.store.description} is no backup of a VM`);
      continue;
    }
    found.add(each.prefix);
    await adopt(document, usable, parts);
  }
  for (const backup of backups()) {
    const prefix = prefixOf(backup);
    const isElsewhere = !isOnTarget(backup) || parts.current.holding(backup.status?.backupTarget) === undefined;
    if (isElsewhere || !backup.status?.readyToUse || isDeleting(backup) || !prefix || found.has(prefix)) continue;
    // It may have been finished after the others were listed.
    if (await readBackup(usable.store, prefix)) continue;
    await act.writeBackupStatus(backup, missingStatus(backup, usable.store.description, now()));
  }
  return problems;
}

/** What was read below a prefix, if it is what belongs there. */
function documentAt(prefix: string, read: JsonObject): BackupDocument | undefined {
  const document = asBackupDocument(read);
  if (!document) return undefined;
  const { namespace, name } = document.metadata;
  return prefix === backupPrefix({ namespace, name, uid: document.status.sourceUID ?? '' }) ? document : undefined;
}

/** Makes known what was found, or says again of it that it is there. */
async function adopt(document: BackupDocument, { target }: UsableTarget, parts: SyncParts): Promise<void> {
  const { act, now } = parts;
  const { metadata, spec } = document;
  const key = `${metadata.namespace}/${metadata.name}`;
  const known = parts.backups().find((each) => `${each.metadata.namespace}/${each.metadata.name}` === key);
  if (known) {
    const isSame = known.status?.sourceUID === document.status.sourceUID;
    const isUnsaid = known.status === undefined && known.metadata.annotations?.[FOUND_BACKUP] !== undefined;
    // One that is being made or removed is not to be meddled with; another of that name stays what it is.
    if ((isUnsaid || (isSame && isDataMissing(known))) && !isDeleting(known))
      await act.writeBackupStatus(known, foundStatus(document, placeOf(target), now()));
    return;
  }
  const created = await act.createBackup({
    metadata: { ...metadata, annotations: { [FOUND_BACKUP]: 'true' } },
    spec: { ...spec, type: 'backup' },
  });
  if (created) await act.writeBackupStatus(created, foundStatus(document, placeOf(target), now()));
}
