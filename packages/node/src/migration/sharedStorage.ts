import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskSource } from '@vireo/hypervisor';
import type { NodeContext } from '../context.ts';
import { SIGNS } from '../volumes/shared/mounted.ts';
import { writableDisks } from './domainDisks.ts';

/** A disk that stays where it is while its guest moves: its volume, and where it is on the node that looks. */
export interface StayingDisk {
  readonly volume: string;
  readonly path: string;
}

/** The disk of a claim, as guests are given it. */
export const rawFile = (path: string): DiskSource => ({ kind: 'file', path, format: 'raw', directIo: false });

/** The disks that a guest writes to and that are not copied. */
export const stayingDisks = (xml: string, copied: readonly string[]): StayingDisk[] =>
  writableDisks(xml).filter(({ target }) => !copied.includes(target));

/** Signs that one node has left for another in the directories that both should have, by volume. */
export type Signs = Readonly<Record<string, string>>;

const signFile = (root: string, migrationUid: string): string => join(root, SIGNS, `migration-${migrationUid}`);

/** The shared directory that a disk is in. Throws where it is in none. */
function rootOf({ volume, path }: StayingDisk, { volumes }: Pick<NodeContext, 'volumes'>): string {
  const root = volumes.sharedRoot(path);
  if (root !== undefined) return root;
  throw new Error(`the disk of volume ${JSON.stringify(volume)} is not on storage that both nodes share`);
}

/**
 * Leaves a sign in the directory of each disk. Whoever reads it there has the same directory: names of directories, and
 * what they are mounted from, prove nothing.
 */
export async function leaveSigns(
  disks: readonly StayingDisk[],
  migrationUid: string,
  context: Pick<NodeContext, 'volumes'>,
): Promise<{ readonly signs: Signs; remove(): Promise<void> }> {
  const signs = new Map<string, string>();
  const byVolume: Record<string, string> = {};
  for (const disk of disks) {
    const root = rootOf(disk, context);
    const sign = signs.get(root) ?? randomUUID();
    if (!signs.has(root)) await writeFile(signFile(root, migrationUid), sign, { mode: 0o600 });
    signs.set(root, sign);
    byVolume[disk.volume] = sign;
  }
  const remove = async (): Promise<void> => {
    for (const root of signs.keys()) await rm(signFile(root, migrationUid), { force: true });
  };
  return { signs: byVolume, remove };
}

/** Throws unless each sign is where this node has the disk. */
export async function expectSigns(
  signs: Signs,
  disks: readonly StayingDisk[],
  migrationUid: string,
  context: Pick<NodeContext, 'volumes'>,
): Promise<void> {
  for (const [volume, sign] of Object.entries(signs)) {
    const disk = disks.find((each) => each.volume === volume);
    if (!disk) throw new Error(`this node does not have the disk of volume ${JSON.stringify(volume)}`);
    const found = await readFile(signFile(rootOf(disk, context), migrationUid), 'utf8').catch(() => '');
    if (found !== sign)
      throw new Error(
        `the nodes do not share the disk of volume ${JSON.stringify(volume)}: ${disk.path} is another one`,
      );
  }
}
