import { Secret } from '@vireo/api';
import {
  BACKUP_TARGET_SECRET,
  type BackupCredentials,
  type BackupTarget,
  credentialsIn,
} from '@vireo/api/kinds/harvester/backupTarget.ts';
import { type BackupStore, openStore } from '@vireo/backup';
import type { Client } from '@vireo/kube';
import { readNamed } from '../../disks/readNamed.ts';

export interface TargetParts {
  /** Reads what worker pods name. */
  readonly kubelet: Client;
  /** Where file systems of targets are mounted. */
  readonly runtimeDirectory: string;
}

/** Has `act` work with a target, with the credentials that worker pods name. */
export async function withTarget<T>(
  target: BackupTarget,
  { kubelet, runtimeDirectory }: TargetParts,
  act: (store: BackupStore) => Promise<T>,
): Promise<T> {
  // Other targets need none.
  const credentials = target.type === 's3' ? await readCredentials(kubelet) : {};
  const store = await openStore(target, credentials, { runtimeDirectory });
  try {
    return await act(store);
  } finally {
    await store.close();
  }
}

async function readCredentials(kubelet: Client): Promise<BackupCredentials> {
  const { name, namespace } = BACKUP_TARGET_SECRET;
  return credentialsIn((await readNamed(() => kubelet.of(Secret).get(name, { namespace }))).data);
}
