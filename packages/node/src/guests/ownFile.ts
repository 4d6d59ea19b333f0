import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';

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
