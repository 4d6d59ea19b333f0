import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DISK_FILE } from './names.ts';
import { runWithUs } from './program.ts';

/** Copies a disk: shares its blocks where the file system can, and else copies what is not a hole. */
export const copyDisk = (from: string, to: string, signal?: AbortSignal): Promise<void> =>
  runWithUs(['cp', '--reflink=auto', '--sparse=auto', '--', from, to], signal);

/**
 * Copies a volume by the paths of its disks: the disk, and what else is kept beside it, such as what the firmware of a
 * machine remembers.
 */
export async function copyVolume(from: string, to: string, signal?: AbortSignal): Promise<void> {
  await copyDisk(from, to, signal);
  const beside = (await readdir(dirname(from))).filter((name) => name !== DISK_FILE);
  if (beside.length === 0) return;
  const paths = beside.map((name) => join(dirname(from), name));
  await runWithUs(['cp', '--archive', '--reflink=auto', '--sparse=auto', '--', ...paths, dirname(to)], signal);
}
