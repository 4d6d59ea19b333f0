import { type FileHandle, open } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
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
