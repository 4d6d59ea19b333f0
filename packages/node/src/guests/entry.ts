import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { VolumeError } from '../disks/volumeError.ts';
import { O_PATH_NOFOLLOW } from './ownFile.ts';

/**
 * Opens the name itself, whatever is there, for nothing but looking at it and changing its rights. Below `root` nothing
 * is followed: guests may write there, and put links where files were.
 */
export async function openEntry(path: string, root = dirname(path)): Promise<FileHandle> {
  let entry = await open(root, O_PATH);
  for (const name of relative(root, path).split('/')) {
    const directory = entry;
    try {
      entry = await open(`${pathOfEntry(directory)}/${name}`, O_PATH_NOFOLLOW);
    } finally {
      await directory.close();
    }
  }
  return entry;
}

/** Linux' own, which Node has no word for. */
const O_PATH = 0o10000000;

/** A path that leads other processes there, too, for as long as it is open here. */
export const pathOfEntry = ({ fd }: FileHandle): string => `/proc/${process.pid}/fd/${fd}`;

/**
 * Opens a directory below `root` by the names on the way, which are made where they are missing. Throws VolumeError if one
 * of them is anything else.
 */
export async function openDirectory(root: string, names: readonly string[], mode: number): Promise<FileHandle> {
  let entry = await open(root, O_PATH);
  for (const [index, name] of names.entries()) {
    const above = entry;
    try {
      const path = `${pathOfEntry(above)}/${name}`;
      await mkdir(path, { mode }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      entry = await open(path, O_PATH_NOFOLLOW);
    } finally {
      await above.close();
    }
    const stats = await entry.stat();
    if (stats.isDirectory()) continue;
    await entry.close();
    const kind = stats.isSymbolicLink() ? 'a symbolic link' : 'not a directory';
    const path = join(root, ...names.slice(0, index + 1));
    throw new VolumeError('CreateContainerConfigError', `${path} is ${kind}: put a directory in its place`);
  }
  return entry;
}
