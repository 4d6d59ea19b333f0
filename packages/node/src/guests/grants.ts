import type { Stats } from 'node:fs';
import { chmod, chown, type FileHandle } from 'node:fs/promises';
import { VolumeError } from '../disks/volumeError.ts';
import { addToAcl, clearAcl, NoAcl, ReadOnlyFileSystem, removeFromAcl } from './acl.ts';
import { openEntry, pathOfEntry } from './entry.ts';

/** Something outside its own directory that a machine may use. */
export interface Grant {
  /** The volume that may be unplugged while the machine runs; missing for what stays with it. */
  readonly volume?: string;
  readonly path: string;
  /** Guests may write below this directory, so nothing below is followed; the one that the file is in when missing. */
  readonly root?: string;
  /** `own`: the file is the machine's alone. The others leave it to its owner: several may read or write it. */
  readonly access: 'own' | 'read' | 'write';
  /** Whose it was and is again afterwards, where one user at a time can have it. */
  readonly former?: { readonly uid: number; readonly mode: number };
}

/** What a user needs, and where others than the owner have it already. */
const NEEDS = { read: { letters: 'r', others: 0o004 }, write: { letters: 'rw', others: 0o006 } } as const;

/** Lets a user have a file. */
export async function allow(grant: Grant, uid: number): Promise<void> {
  const { path, root, access } = grant;
  const entry = await openEntry(path, root).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTDIR' || root === undefined) throw error;
    throw refusal(`a directory between ${root} and ${path} is a symbolic link or a file: remove it`, error);
  });
  try {
    const stats = await entry.stat();
    const kind = unfitKind(stats, access);
    if (kind) throw refusal(`${path} is ${kind}, which no guest is given: put a file in its place`);
    const place = pathOfEntry(entry);
    if (access === 'own') await giveAway(place, stats, uid);
    else if ((stats.mode & NEEDS[access].others) !== NEEDS[access].others) await share(place, grant, uid);
  } catch (error) {
    throw namingPath(error, entry, path);
  } finally {
    await entry.close();
  }
}

/** What a guest cannot be given; undefined for what it can. */
function unfitKind(stats: Stats, access: Grant['access']): string | undefined {
  if (stats.isFile() || stats.isBlockDevice() || (stats.isDirectory() && access === 'own')) return undefined;
  if (stats.isSymbolicLink()) return 'a symbolic link';
  return stats.isDirectory() ? 'a directory' : 'neither a file nor a block device';
}

async function giveAway(place: string, stats: Stats, uid: number): Promise<void> {
  await chmod(place, ownersMode(stats));
  await chown(place, uid, 0);
}

async function share(place: string, { path, access }: Grant, uid: number): Promise<void> {
  const letters = access === 'read' ? NEEDS.read.letters : NEEDS.write.letters;
  try {
    await addToAcl(`u:${uid}:${letters}`, [place]);
  } catch (error) {
    if (error instanceof ReadOnlyFileSystem) {
      const remedy =
        access === 'read'
          ? `let every user read the file (chmod o+r ${path}) where it can be changed`
          : 'mount it writable, or have the volume or its disk read-only';
      throw refusal(`the guest may not ${access} ${path}, and its file system is read-only: ${remedy}`, error);
    }
    if (!(error instanceof NoAcl)) throw error;
    // Its owner could write it, too.
    if (access === 'read')
      throw refusal(
        `the guest may not read ${path}, and its file system has no access control lists: ` +
          `let every user read the file (chmod o+r ${path})`,
        error,
      );
    // The file system knows one user a file, so the last one who asked has it.
    await chown(place, uid, -1);
  }
}

const refusal = (message: string, cause?: unknown): VolumeError =>
  new VolumeError('CreateContainerConfigError', message, { cause });

/** Of what belongs to one user alone: an owner can open it to others, which must not outlive them. */
const ownersMode = (stats: Stats): number => (stats.isDirectory() ? 0o700 : 0o600);

/**
 * Takes files away from a user. What is gone, or somebody else's by now, is left alone. If one of them cannot be taken
 * away, that is told when the others are.
 */
export async function withdraw(grants: readonly Grant[], uid: number): Promise<void> {
  const failures: unknown[] = [];
  for (const grant of grants) await withdrawOne(grant, uid).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function withdrawOne(grant: Grant, uid: number): Promise<void> {
  const entry = await openEntry(grant.path, grant.root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (!entry) return;
  try {
    await takeBack(entry, grant, uid);
  } catch (error) {
    // What has no lists has no entry, and what cannot be changed was not changed for the guest.
    if (error instanceof NoAcl || error instanceof ReadOnlyFileSystem || isReadOnly(error)) return;
    throw namingPath(error, entry, grant.path);
  } finally {
    await entry.close();
  }
}

async function takeBack(entry: FileHandle, { access, former }: Grant, uid: number): Promise<void> {
  const stats = await entry.stat();
  if (unfitKind(stats, access)) return;
  const place = pathOfEntry(entry);
  if (stats.uid !== uid) {
    if (access !== 'own') await removeFromAcl(`u:${uid}`, [place]);
    return;
  }
  await chown(place, access === 'own' ? 0 : (former?.uid ?? 0), -1);
  if (access === 'own') {
    await chmod(place, ownersMode(stats));
    await clearAcl([place]);
  } else if (former) await chmod(place, former.mode);
}

/** The same error, with the path that its reader knows. */
function namingPath(error: unknown, entry: FileHandle, path: string): unknown {
  if (error instanceof Error) error.message = error.message.replaceAll(pathOfEntry(entry), path);
  return error;
}

const isReadOnly = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EROFS';
