import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NotReady } from '../provision/notReady.ts';

/** Below a shared directory: where nodes leave signs for each other. */
export const SIGNS = '.vireo-shared';
/** The file that says which directory it is; an empty mount point has none. */
export const ID_FILE = join(SIGNS, 'id');

/** A shared directory cannot be used on this node now: it is not mounted, or another one is in its place. */
export class NotMounted extends NotReady {}

/** Throws `NotMounted` unless the directory of that id is at the path; of any id where none is given. */
export async function expectMounted(path: string, id: string | undefined): Promise<void> {
  const found = await readId(path).catch((error: unknown) => {
    throw new NotMounted(reasonOf(error, path));
  });
  const problem = problemOf(path, found, id);
  if (problem) throw new NotMounted(problem);
}

/** The id of the directory at a path; undefined where it has none. */
export async function readId(path: string): Promise<string | undefined> {
  const text = await readFile(join(path, ID_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text?.trim() || undefined;
}

/** Why what was found at a path is not the directory that is known by `id`. */
export function problemOf(path: string, found: string | undefined, id: string | undefined): string | undefined {
  if (found === undefined) return `${path} is not mounted: ${join(path, ID_FILE)} is missing`;
  if (id === undefined || found === id) return undefined;
  return (
    `${path} is another directory than the one that the StorageClass was made for: ${join(path, ID_FILE)} is ${found}, ` +
    `not ${id}. Mount the right one there; to use this one, create a StorageClass with another name for it`
  );
}

/** What is wrong with a directory that an operation in it failed by that error. */
export function reasonOf(error: unknown, path: string): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const words: Record<string, string> = {
    EACCES: `this node may not write to ${path}: give root the right to (NFS: export it with no_root_squash)`,
    EPERM: `this node may not write to ${path}: give root the right to (NFS: export it with no_root_squash)`,
    EROFS: `${path} is mounted read-only`,
    ENOSPC: `${path} is full`,
    EDQUOT: `${path} is full`,
    ESTALE: `the server no longer knows ${path}: mount it again`,
    EIO: `${path} cannot be read or written: see the kernel's log of this host`,
  };
  return words[code] ?? `${path} cannot be used: ${message}`;
}
