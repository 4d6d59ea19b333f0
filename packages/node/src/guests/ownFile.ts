import { constants } from 'node:fs';
import { chmod, chown, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../removeTree.ts';

/** Opens nothing but the name itself, whatever is there; Node has no word for Linux' O_PATH. */
export const O_PATH_NOFOLLOW = 0o10000000 | constants.O_NOFOLLOW;

/**
 * Gives the files of a directory to another user. An earlier guest may have put anything there: what is not a plain
 * file with that one name is removed, so that nothing else is given away.
 */
export async function handOverDirectory(directory: string, uid: number): Promise<void> {
  // Nobody adds to it in the meantime.
  await chown(directory, 0, 0);
  await chmod(directory, 0o700);
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const entry = await open(path, O_PATH_NOFOLLOW);
    try {
      const stats = await entry.stat();
      if (stats.isFile() && stats.nlink === 1) await chown(`/proc/self/fd/${entry.fd}`, uid, 0);
      else await removeTree(path);
    } finally {
      await entry.close();
    }
  }
}
