import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
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

/** What is needed to know where signs are. */
interface SignContext {
  readonly vmi: Vmi;
  readonly migrationUid: string;
  readonly volumes: Pick<NodeContext['volumes'], 'sharedRoot'>;
}

/** Where a sign is left for a disk. Throws where it is not shared. */
function signFile({ volume, path }: StayingDisk, { vmi, migrationUid, volumes }: SignContext): string {
  const root = volumes.sharedRoot(path);
  if (root !== undefined) return join(root, SIGNS, `migration-${migrationUid}`);
  // Whoever made the VM says that it is; that is looked into all the same.
  if (vmi.spec.volumes?.some(({ name, hostDisk }) => name === volume && hostDisk?.shared))
    return join(dirname(path), `.vireo-migration-${migrationUid}`);
  throw new Error(`the disk of volume ${JSON.stringify(volume)} is not on storage that both nodes share`);
}

/**
 * Leaves a sign in the directory of each disk. Whoever reads it there has the same directory: names of directories, and
 * what they are mounted from, prove nothing.
 */
export async function leaveSigns(
  disks: readonly StayingDisk[],
  context: SignContext,
): Promise<{ readonly signs: Signs; remove(): Promise<void> }> {
  const signs = new Map<string, string>();
  const byVolume: Record<string, string> = {};
  for (const disk of disks) {
    const file = signFile(disk, context);
    const sign = signs.get(file) ?? randomUUID();
    if (!signs.has(file)) await writeFile(file, sign, { mode: 0o600 });
    signs.set(file, sign);
    byVolume[disk.volume] = sign;
  }
  const remove = async (): Promise<void> => {
    for (const file of signs.keys()) await rm(file, { force: true });
  };
  return { signs: byVolume, remove };
}

/** Throws unless each sign is where this node has the disk. */
export async function expectSigns(signs: Signs, disks: readonly StayingDisk[], context: SignContext): Promise<void> {
  for (const [volume, sign] of Object.entries(signs)) {
    const disk = disks.find((each) => each.volume === volume);
    if (!disk) throw new Error(`this node does not have the disk of volume ${JSON.stringify(volume)}`);
    const found = await readFile(signFile(disk, context), 'utf8').catch(() => '');
    if (found !== sign)
      throw new Error(
        `the nodes do not share the disk of volume ${JSON.stringify(volume)}: ${disk.path} is another one`,
      );
  }
}
