import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DISK_FILE } from './names.ts';

const run = promisify(execFile);

/** Words for setpriv: the program ends when we are killed. Nobody else would end it, and whoever comes next begins anew. */
export const WITH_US = ['--pdeathsig', 'KILL', '--'];

/** Copies a disk: shares its blocks where the file system can, and else copies what is not a hole. */
export async function copyDisk(from: string, to: string, signal?: AbortSignal): Promise<void> {
  await run('setpriv', [...WITH_US, 'cp', '--reflink=auto', '--sparse=auto', '--', from, to], signal ? { signal } : {});
}

/**
 * Copies a volume by the paths of its disks: the disk, and what else is kept beside it, such as what the firmware of a
 * machine remembers.
 */
export async function copyVolume(from: string, to: string, signal?: AbortSignal): Promise<void> {
  await copyDisk(from, to, signal);
  const beside = (await readdir(dirname(from))).filter((name) => name !== DISK_FILE);
  if (beside.length === 0) return;
  const paths = beside.map((name) => join(dirname(from), name));
  const words = ['cp', '--archive', '--reflink=auto', '--sparse=auto', '--', ...paths, dirname(to)];
  await run('setpriv', [...WITH_US, ...words], signal ? { signal } : {});
}
