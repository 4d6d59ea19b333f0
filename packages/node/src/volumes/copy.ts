import { type FileHandle, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FILES } from '../filesystems/owner.ts';
import { DISK_FILE } from './names.ts';
import { runChild } from './program.ts';

const WRITE_OUT_MS = 30;

/** Copies a disk: shares its blocks where the file system can, and else copies what is not a hole. */
export async function copyDisk(from: string, to: string, signal?: AbortSignal): Promise<void> {
  const over = new AbortController();
  const writing = writeOut(to, over.signal);
  // It is heard below, when the copy has ended.
  writing.catch(() => {});
  try {
    await runChild(['cp', '--reflink=auto', '--sparse=auto', '--', from, to], signal);
  } finally {
    over.abort();
    await writing;
  }
}

/** Lets the disk write while a file is made, until that is over: else it would have everything to do at the end. */
async function writeOut(path: string, over: AbortSignal): Promise<void> {
  let file: FileHandle | undefined;
  try {
    while (!over.aborted) {
      await setTimeout(WRITE_OUT_MS, undefined, { signal: over }).catch(() => {});
      // Perhaps it is not there yet.
      file ??= await open(path, 'r+').catch(() => undefined);
      if (!over.aborted) await file?.datasync();
    }
  } finally {
    await file?.close();
  }
}

/**
 * Copies a volume by the paths of its disks: the disk, and what else is kept beside it. Files that guests share keep
 * their owners. What the firmware of a VM remembers belongs to the user of its guest, who has no business with the copy.
 */
export async function copyVolume(from: string, to: string, signal?: AbortSignal): Promise<void> {
  await copyDisk(from, to, signal);
  const beside = (await readdir(dirname(from))).filter((name) => name !== DISK_FILE);
  const copy = async (names: readonly string[], kept: string): Promise<void> => {
    const paths = names.map((name) => join(dirname(from), name));
    const words = ['--recursive', '--no-dereference', `--preserve=${kept}`, '--reflink=auto', '--sparse=auto'];
    if (paths.length > 0) await runChild(['cp', ...words, '--', ...paths, dirname(to)], signal);
  };
  const isShared = (name: string): boolean => name === dirname(FILES);
  await copy(beside.filter(isShared), 'all');
  await copy(
    beside.filter((name) => !isShared(name)),
    'mode,timestamps,links',
  );
}
