import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file system of its own, so small that it can be full. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Fills it until only so much is free. */
  leave(freeBytes: number): Promise<void>;
  /** Makes what was filled free again. */
  clear(): Promise<void>;
}

/** Undefined where this user may not mount one. */
export async function mountSmallDisk(sizeBytes: number): Promise<SmallDisk | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'vireo-small-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes},mode=0700`, 'vireo-small-disk', path]);
  } catch {
    await rm(path, { recursive: true });
    return undefined;
  }
  const filler = join(path, 'filler');
  return {
    path,
    leave: async (freeBytes) => {
      const { bavail, bsize } = await statfs(path);
      const file = await open(filler, 'a');
      await file.appendFile(Buffer.alloc(bavail * bsize - freeBytes, 1));
      await file.close();
    },
    clear: () => rm(filler, { force: true }),
    [Symbol.asyncDispose]: async () => {
      await run('umount', ['--lazy', path]);
      await rm(path, { recursive: true });
    },
  };
}
