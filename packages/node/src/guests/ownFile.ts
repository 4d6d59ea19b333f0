import { constants } from 'node:fs';
import { chown, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Opens nothing but the name itself, whatever is there; Node has no word for Linux' O_PATH. */
export const O_PATH_NOFOLLOW = 0o10000000 | constants.O_NOFOLLOW;

/** Reads and removes a file that a guest's process has written where it can put anything. Never more than `mostBytes`. */
export async function takeFileOf(uid: number, path: string, mostBytes: number): Promise<Buffer> {
  // Not blocking: a pipe would keep us waiting.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.uid !== uid) throw new Error(`${path} is not a file of the guest's own`);
    if (stats.size > mostBytes) throw new Error(`${path} has ${stats.size} bytes, more than ${mostBytes}`);
    const bytes = Buffer.alloc(stats.size);
    const { bytesRead } = await file.read(bytes, 0, stats.size, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

/**
 * Gives the files of a directory to another user. An earlier guest may have put anything there: what is not a plain
 * file with that one name is removed, so that nothing else is given away.
 */
export async function handOverDirectory(directory: string, uid: number): Promise<void> {
  // Nobody adds to it in the meantime.
  await chown(directory, 0, 0);
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const entry = await open(path, O_PATH_NOFOLLOW);
    try {
      const stats = await entry.stat();
      if (stats.isFile() && stats.nlink === 1) await chown(`/proc/self/fd/${entry.fd}`, uid, 0);
      else await rm(path, { recursive: true, force: true });
    } finally {
      await entry.close();
    }
  }
}
