import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Persisted, Pod } from '@vireo/api';
import type { NodeContext } from '../context.ts';
import type { LocalVmi } from '../vmi/localVmi.ts';
import { removeRemains } from '../vmi/remains.ts';

/** In the directory of a VMI: the uid of the launcher that its files were made for. */
const FILE = 'target-of';

/**
 * Removes what a guest left that was here before and comes again: its disks are old, and only what the guest has written
 * since it left would be copied over them. What was made for this launcher stays.
 */
export async function discardFormerStay(
  { uid, files, cache }: Pick<LocalVmi, 'uid' | 'files' | 'cache'>,
  pod: Persisted<Pod>,
  context: NodeContext,
): Promise<void> {
  if (cache.preparation) return;
  const path = join(files.directory, FILE);
  const madeFor = await readFile(path, 'utf8').catch(() => '');
  if (madeFor === pod.metadata.uid) return;
  await removeRemains(uid, files, { log: true }, context);
  await mkdir(files.directory, { recursive: true, mode: 0o700 });
  await writeFile(path, pod.metadata.uid, { mode: 0o600 });
}
