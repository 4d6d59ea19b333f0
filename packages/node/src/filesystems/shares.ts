import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sharedVolumes, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf, isConfigVolume, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { type ObjectReaders, objectFiles } from '../disks/objectDisc.ts';
import { VolumeError } from '../disks/volumeError.ts';
import type { NodeVolumes } from '../volumes/index.ts';
import { writeConfigDirectory } from './configDirectory.ts';
import { FILES, ownerOfConfig, ownerOfDirectory, ownerOfVolume, type ShareIds, type ShareOwner } from './owner.ts';
import { findVirtiofsd, NO_PROGRAM } from './program.ts';

/** A directory that a guest is to get. */
export interface Share {
  /** The name of the filesystem, by which the guest mounts it. */
  readonly name: string;
  readonly directory: string;
  /** Which directory was checked (device and inode), where others can put another in its place. */
  readonly identity?: string;
  readonly isReadOnly: boolean;
  /** Undefined where Vireo is not root: everything is our own user's then. */
  readonly owner?: ShareOwner | undefined;
}

export interface ShareContext extends ObjectReaders {
  /** Files of this VMI, gone when it is. */
  readonly directory: string;
  /** Where the volumes of this node are. */
  readonly volumesDirectory: string;
  readonly volumes: Pick<NodeVolumes, 'claimDirectory' | 'claimInfo'>;
  /** The users that shares can belong to; undefined where Vireo is not root. */
  readonly ids: ShareIds | undefined;
}

/** Makes the directories that a VMI shares, and says where they are. What is there already is kept, so it may be asked again. */
export async function prepareShares(vmi: Vmi, context: ShareContext): Promise<Share[]> {
  const volumes = sharedVolumes(vmi);
  if (volumes.length === 0) return [];
  // Before anything is made for nothing.
  if (!(await findVirtiofsd())) throw new VolumeError('CreateContainerConfigError', NO_PROGRAM);
  const shares: Share[] = [];
  for (const volume of volumes) shares.push(await prepareShare(vmi, volume, context));
  return shares;
}

async function prepareShare(vmi: Vmi, volume: Volume, context: ShareContext): Promise<Share> {
  const { name } = volume;
  // Names become names of directories.
  if (!/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/i.test(name)) throw failure(name, 'this is not a valid volume name');
  if (isConfigVolume(volume)) {
    const share = configShare(name, context);
    await writeConfig(vmi, volume, context);
    return share;
  }
  const claim = claimNameOf(volume);
  if (claim === undefined) throw failure(name, 'volumes of this kind cannot be shared');
  return { name, ...(await claimShare(vmi, volume, claim, context)) };
}

const configShare = (name: string, { directory, ids }: ShareContext): Share => ({
  name,
  directory: join(directory, 'filesystems', name),
  isReadOnly: true,
  owner: ids && ownerOfConfig(ids),
});

/** Brings the directory of a ConfigMap and its like in line with the object. Says whether anything has changed. */
export async function writeConfig(vmi: Vmi, volume: Volume, context: ShareContext): Promise<boolean> {
  const { directory, owner } = configShare(volume.name, context);
  const isSecret = (volume.secret ?? volume.serviceAccount) !== undefined;
  try {
    const files = await objectFiles(vmi, volume, context);
    await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
    return await writeConfigDirectory(directory, files, { owner, mode: isSecret ? 0o400 : 0o444 });
  } catch (error) {
    throw failure(volume.name, (error as Error).message, error);
  }
}

async function claimShare(
  vmi: Vmi,
  volume: Volume,
  claim: string,
  context: ShareContext,
): Promise<Omit<Share, 'name'>> {
  const key = `${vmi.metadata.namespace}/${claim}`;
  const directory = await context.volumes.claimDirectory(vmi, claim);
  const { volumeMode, accessModes = [] } = context.volumes.claimInfo(key) ?? {};
  if (volumeMode === 'Block')
    throw failure(volume.name, `PersistentVolumeClaim ${key} has the volume mode Block; only Filesystem can be shared`);
  const isReadOnly =
    (volume.persistentVolumeClaim?.readOnly ?? false) ||
    (accessModes.length > 0 && accessModes.every((mode) => mode === 'ReadOnlyMany'));
  const { ids, volumesDirectory } = context;
  // A volume of somebody else's is theirs: neither its owner nor its layout is ours to change.
  if (dirname(directory) !== volumesDirectory)
    return { directory, isReadOnly, owner: ids && (await ownerOfDirectory(directory, ids)) };
  const files = join(directory, FILES);
  await mkdir(dirname(files), { recursive: true, mode: 0o700 });
  await mkdir(files, { recursive: true, mode: 0o755 });
  return { directory: files, isReadOnly, owner: ids && (await ownerOfVolume(files, volumesDirectory, ids)) };
}

function failure(name: string, why: string, cause?: unknown): VolumeError {
  if (cause instanceof VolumeError) return cause;
  const message = `filesystem ${JSON.stringify(name)}: ${why}`;
  return new VolumeError('CreateContainerConfigError', message, { cause });
}
