import { lstat, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSharedVolume, type Persisted, type PersistentVolume, type PersistentVolumeClaim } from '@vireo/api';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { DiskSource } from '@vireo/hypervisor';
import { VolumeError } from '../disks/volumeError.ts';
import type { VolumeContext } from './context.ts';
import { DISK_FILE } from './names.ts';
import { NotMounted } from './shared/mounted.ts';
import type { VolumeStores } from './stores.ts';
import { type ClaimUsers, namedVmi } from './users.ts';

/** Kubelets call it so when a volume cannot be had. */
const WAITING = 'ContainerCreating';

/** Finds the disk behind a claim for a VMI, and keeps other writers from it. */
export async function claimDisk(
  vmi: Vmi,
  claimName: string,
  use: { readonly isReadOnly: boolean; readonly isShareable: boolean },
  context: Pick<VolumeContext, 'claims' | 'volumes' | 'node'> & {
    readonly users: ClaimUsers;
    readonly stores: Pick<VolumeStores, 'hasDirectIo' | 'expectUsable'>;
  },
): Promise<DiskSource> {
  const key = `${vmi.metadata.namespace}/${claimName}`;
  const { claim, volume } = findVolume(key, context);
  if (waitsForData(claim)) throw new VolumeError(WAITING, `PersistentVolumeClaim ${key} is not populated yet`);
  const isReadOnly = use.isReadOnly || isReadOnlyVolume(volume);
  if (!isReadOnly && !use.isShareable) {
    const isShared = isSharedVolume(volume);
    const other =
      (isShared ? context.users.firstElsewhere(key, vmi, isReadOnly) : undefined) ?? context.users.take(key, vmi);
    if (other)
      throw new VolumeError(
        WAITING,
        `PersistentVolumeClaim ${key} is in use by ${namedVmi(other, context.node)}: ` +
          'only one VM can write to a disk; stop that VM first',
      );
  }
  // Nobody writes to a volume that can only be read, whatever their disks say.
  const holder = use.isShareable || isReadOnlyVolume(volume) ? undefined : context.users.holder(key, vmi, isReadOnly);
  if (holder)
    throw new VolumeError(
      WAITING,
      `PersistentVolumeClaim ${key} is in use by ${namedVmi(holder, context.node)}, ` +
        `${isReadOnly ? 'which writes to it' : 'which reads it'}: stop that VM first, or remove the disk from it`,
    );
  await expectMountedFor(key, volume, context.stores);
  const found = await locate(volume);
  const directIo = await context.stores.hasDirectIo(volume);
  return { ...found, format: 'raw', directIo, ...(isReadOnly && { readOnly: true }) };
}

/** Finds the directory behind a claim, for what is kept in files: the state of firmware, dumps of memory. */
export async function claimDirectory(
  { metadata }: Vmi,
  claimName: string,
  context: Pick<VolumeContext, 'claims' | 'volumes'> & { readonly stores: Pick<VolumeStores, 'expectUsable'> },
): Promise<string> {
  const key = `${metadata.namespace}/${claimName}`;
  const { volume } = findVolume(key, context);
  await expectMountedFor(key, volume, context.stores);
  const path = pathOf(volume);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return path;
  throw new VolumeError(WAITING, `PersistentVolume ${volume.metadata.name}: no directory at ${path}`);
}

/** Throws VolumeError where the directory of a claim's volume is not mounted: whoever opens it would open another file. */
export async function expectMountedFor(
  key: string,
  volume: PersistentVolume,
  stores: Pick<VolumeStores, 'expectUsable'>,
): Promise<void> {
  await stores.expectUsable(volume).catch((error: unknown) => {
    throw error instanceof NotMounted
      ? new VolumeError(WAITING, `PersistentVolumeClaim ${key}: ${error.message}`)
      : error;
  });
}

/** The volume that a claim, by `namespace/name`, is bound to. Throws VolumeError where there is none. */
export function findVolume(
  key: string,
  { claims, volumes }: Pick<VolumeContext, 'claims' | 'volumes'>,
): { claim: Persisted<PersistentVolumeClaim>; volume: Persisted<PersistentVolume> } {
  const claim = claims.get(key);
  const volume = claim && boundVolume(claim, volumes.get(claim.spec?.volumeName ?? ''));
  if (claim && volume) return { claim, volume };
  throw new VolumeError(WAITING, `PersistentVolumeClaim ${key} ${claim ? 'is not bound yet' : 'does not exist'}`);
}

/** What is in the way of a claim, in the words of a volume's status. */
export interface ClaimProblem {
  readonly phase: 'Pending' | 'Bound';
  readonly reason: 'FailedPvcNotFound' | 'PVCNotReady';
  readonly message: string;
}

/** What is in the way of a claim, by `namespace/name`; undefined for one that is bound and filled. */
export function claimProblem(
  key: string,
  context: Pick<VolumeContext, 'claims' | 'volumes'>,
): ClaimProblem | undefined {
  try {
    const { claim } = findVolume(key, context);
    if (!waitsForData(claim)) return undefined;
    return { phase: 'Bound', reason: 'PVCNotReady', message: `PersistentVolumeClaim ${key} is not populated yet` };
  } catch (error) {
    if (!(error instanceof VolumeError)) throw error;
    const reason = context.claims.get(key) ? 'PVCNotReady' : 'FailedPvcNotFound';
    return { phase: 'Pending', reason, message: error.message };
  }
}

const boundVolume = (
  claim: Persisted<PersistentVolumeClaim>,
  volume: Persisted<PersistentVolume> | undefined,
): Persisted<PersistentVolume> | undefined =>
  claim.status?.phase === 'Bound' && volume?.spec?.claimRef?.uid === claim.metadata.uid ? volume : undefined;

const isReadOnlyVolume = ({ spec }: Persisted<PersistentVolume>): boolean =>
  (spec?.accessModes ?? []).every((mode) => mode === 'ReadOnlyMany');

/**
 * A volume of this node is a directory with a disk in it, a file, or a device. The volume's path may be a link, because
 * an administrator has chosen it. What else is in the directory may be from a guest that shares it: a link may lead anywhere, and so may a device.
 */
export async function locate(volume: Persisted<PersistentVolume>): Promise<Pick<DiskSource, 'kind' | 'path'>> {
  const path = pathOf(volume);
  const { name } = volume.metadata;
  const found = await stat(path).catch(() => undefined);
  if (found?.isBlockDevice()) return { kind: 'block', path: await behindLink(path) };
  if (found?.isFile()) return { kind: 'file', path: await behindLink(path) };
  const disk = join(path, DISK_FILE);
  const inside = await lstat(disk).catch(() => undefined);
  if (inside?.isFile()) return { kind: 'file', path: disk };
  if (!inside) throw new VolumeError(WAITING, `PersistentVolume ${name}: no disk at ${disk}`);
  const why = inside.isSymbolicLink() ? 'a symbolic link, which is not followed' : 'not a regular file';
  throw new VolumeError(
    WAITING,
    `PersistentVolume ${name}: ${disk} is ${why}: let the volume's path lead to the disk itself`,
  );
}

/** What a path leads to that somebody has chosen who may: those of logical volumes are links. */
export const behindLink = async (path: string): Promise<string> =>
  (await lstat(path)).isSymbolicLink() ? realpath(path) : path;

/** Where a volume is on this node. */
export function pathOf({ metadata, spec }: Persisted<PersistentVolume>): string {
  const path = spec?.local?.path ?? spec?.hostPath?.path;
  if (path !== undefined) return path;
  throw new VolumeError(
    WAITING,
    `PersistentVolume ${metadata.name}${spec?.storageClassName ? ` of StorageClass ${spec.storageClassName}` : ''} is ` +
      'neither local nor hostPath, and this node mounts nothing: use a class of vireo.io/local, or mount the storage on ' +
      'every node and use a class of vireo.io/shared for that directory',
  );
}
