import type { Stats } from 'node:fs';
import { chmod, chown, stat } from 'node:fs/promises';
import { addToAcl, clearAcl, NoAcl, removeFromAcl } from './acl.ts';

/** Something outside its own directory that a machine may use. */
export interface Grant {
  /** The volume that may be unplugged while the machine runs; missing for what stays with it. */
  readonly volume?: string;
  readonly path: string;
  /** `own`: the file is the machine's alone. The others leave it to its owner: several may read or write it. */
  readonly access: 'own' | 'read' | 'write';
}

const LETTERS = { read: 'r', write: 'rw' } as const;

/** Lets a user have a file. */
export async function allow({ path, access }: Grant, uid: number): Promise<void> {
  if (access === 'own') {
    await chmod(path, ownersMode(await stat(path)));
    return chown(path, uid, 0);
  }
  try {
    await addToAcl(`u:${uid}:${LETTERS[access]}`, [path]);
  } catch (error) {
    if (!(error instanceof NoAcl)) throw error;
    // The file system knows one user a file, so the last one who asked has it.
    await chown(path, uid, -1);
  }
}

/** Of what belongs to one user alone: an owner can open it to others, which must not outlive them. */
const ownersMode = (stats: Stats): number => (stats.isDirectory() ? 0o700 : 0o600);

/** Takes files away from a user. What is gone, or somebody else's by now, is left alone. */
export async function withdraw(grants: readonly Grant[], uid: number): Promise<void> {
  const listed: string[] = [];
  const owned: string[] = [];
  for (const { path, access } of grants) {
    const found = await stat(path).catch(() => undefined);
    if (found?.uid === uid) {
      await chown(path, 0, -1);
      if (access !== 'own') continue;
      await chmod(path, ownersMode(found));
      owned.push(path);
    } else if (found && access !== 'own') listed.push(path);
  }
  await Promise.all([removeFromAcl(`u:${uid}`, listed), clearAcl(owned)]).catch((error: unknown) => {
    if (!(error instanceof NoAcl)) throw error;
  });
}
