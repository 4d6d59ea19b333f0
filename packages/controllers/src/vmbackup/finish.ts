import type { StoredVolume } from '@vireo/api/kinds/harvester/backupWork.ts';
import { type BackupStore, commitBackup } from '@vireo/backup';
import { revisionsOf } from '../restore/restoredVm.ts';
import type { Backup, BackupActions } from './act.ts';
import { type BackupDocument, forEachKind } from './document.ts';
import { prefixOf } from './prefix.ts';

/** Makes a backup of the volumes that are at the target: with the VM, and what the VM cannot be started without. */
export async function finishBackup(
  backup: Backup,
  volumes: Readonly<Record<string, StoredVolume>>,
  store: BackupStore,
  act: BackupActions,
): Promise<void> {
  const { name, namespace = '' } = backup.metadata;
  const { conditions: _, progress: __, error: ___, backupTarget: ____, ...status } = backup.status ?? {};
  const template = status.source?.spec?.template;
  const document: BackupDocument = {
    metadata: { namespace, name },
    spec: backup.spec,
    status: {
      ...status,
      volumeBackups: (status.volumeBackups ?? []).map((each) => ({ ...each, progress: 100, readyToUse: true })),
    },
    volumes,
    ...(await forEachKind((objects) =>
      act.objects(objects, namespace, template ? objects.namesIn(template, namespace) : []),
    )),
    revisions: await act.revisions(namespace, revisionsOf(status.source?.spec)),
  };
  await commitBackup(store, prefixOf(backup) ?? '', { ...document });
}
