import { type CommandError, isMissingProgram, run } from '@vireo/network';

/** The host has no setfacl, or the file system has no access control lists. */
export class NoAcl extends Error {
  override readonly name = 'NoAcl';
}

/** Nothing can be changed on the file system. */
export class ReadOnlyFileSystem extends Error {
  override readonly name = 'ReadOnlyFileSystem';
}

/** Adds an entry such as `u:1000:rw` to the access control lists of files. */
export const addToAcl = (entry: string, paths: readonly string[]): Promise<void> => setfacl(['-m', entry], paths);

/** Removes the entry of a user or a group, such as `u:1000`. */
export const removeFromAcl = (subject: string, paths: readonly string[]): Promise<void> =>
  setfacl(['-x', subject], paths);

/** Leaves nothing but the owner's rights, those of the group and those of others. */
export const clearAcl = (paths: readonly string[]): Promise<void> => setfacl(['-b'], paths);

async function setfacl(change: readonly string[], paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  try {
    await run('setfacl', [...change, '--', ...paths]);
  } catch (error) {
    if (isMissingProgram(error)) throw new NoAcl('setfacl is not installed: install the package acl', { cause: error });
    const { stderr } = error as CommandError;
    if (/operation not supported/i.test(stderr)) throw new NoAcl(stderr, { cause: error });
    if (/read-only file system/i.test(stderr)) throw new ReadOnlyFileSystem(stderr, { cause: error });
    throw new Error(stderr, { cause: error });
  }
}

/** The users that the access control list of a file names beside its owner. */
export async function usersInAcl(path: string): Promise<number[]> {
  const stdout = await run('getfacl', ['--omit-header', '--absolute-names', '--numeric', '--', path]);
  return [...stdout.matchAll(/^user:(\d+):/gm)].map(([, uid]) => Number(uid));
}
