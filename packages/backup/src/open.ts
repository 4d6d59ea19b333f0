import type { BackupCredentials, BackupTarget } from '@vireo/api/kinds/harvester/backupTarget.ts';
import { DirectoryStore } from './directory.ts';
import { openNfs } from './nfs.ts';
import { S3Store } from './s3/store.ts';
import type { BackupStore } from './store.ts';
import { describeTarget, directoryOf, exportOf } from './target.ts';

export interface OpenOptions {
  /** Where file systems of targets are mounted. */
  readonly runtimeDirectory: string;
}

/** Opens the store at a target. Whoever opened it closes it. */
export async function openStore(
  target: BackupTarget,
  credentials: BackupCredentials,
  { runtimeDirectory }: OpenOptions,
): Promise<BackupStore> {
  const { id } = target;
  const description = describeTarget(target);
  switch (target.type) {
    case 'directory':
      return new DirectoryStore(directoryOf(target.endpoint), { description, id });
    case 'nfs':
      return openNfs(exportOf(target.endpoint), { description, id, runtimeDirectory });
    case 's3':
      return new S3Store(target, { description, id, credentials });
  }
}
