import type { BackupCredentials, BackupTarget } from '@vireo/api/kinds/harvester/backupTarget.ts';
import { DirectoryStore } from './directory.ts';
import { type BackupStore, TargetUnusable } from './store.ts';
import { describeTarget, directoryOf } from './target.ts';

export interface OpenOptions {
  /** Where file systems of targets are mounted. */
  readonly runtimeDirectory: string;
}

/** Opens the store at a target. Whoever opened it closes it. */
export async function openStore(
  target: BackupTarget,
  _credentials: BackupCredentials,
  _options: OpenOptions,
): Promise<BackupStore> {
  const { id } = target;
  const description = describeTarget(target);
  if (target.type === 'directory') return new DirectoryStore(directoryOf(target.endpoint), { description, id });
  throw new TargetUnusable(`${description}: targets of type ${target.type} are not supported yet`);
}
