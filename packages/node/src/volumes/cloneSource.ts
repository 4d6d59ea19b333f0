import { isSharedVolume, nodeOfVolume } from '@vireo/api';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import { bytesQuantity, formatBytes, toBytes } from '@vireo/api/quantity.ts';
import type { VolumeContext } from './context.ts';
import { isOurs } from './provision/decide.ts';
import { NotReady, OnAnotherNode } from './provision/notReady.ts';
import type { VolumeStore } from './store.ts';
import type { ClaimUsers } from './users.ts';

/** A volume or the data of a snapshot that is to be copied. */
export interface CopySource {
  readonly store: VolumeStore;
  readonly name: string;
}

/** The volume of a claim that is to be copied into one of the given size. Throws while it cannot be read. */
export function cloneSource(
  key: string,
  sizeBytes: number,
  { claims, volumes, stores, node }: Pick<VolumeContext, 'claims' | 'volumes' | 'stores' | 'node'>,
  users: ClaimUsers,
): CopySource {
  const source = claims.get(key);
  if (!source) throw new NotReady(`source PersistentVolumeClaim ${key} does not exist`);
  const volume = volumes.get(source.spec?.volumeName ?? '');
  if (source.status?.phase !== 'Bound' || !volume)
    throw new NotReady(`source PersistentVolumeClaim ${key} is not bound yet`);
  if (!isOurs(volume, node) && !isSharedVolume(volume))
    throw new OnAnotherNode(`source PersistentVolumeClaim ${key}`, nodeOfVolume(volume), node);
  if (waitsForData(source)) throw new NotReady(`source PersistentVolumeClaim ${key} is not populated yet`);
  const has = Number(toBytes(volume.spec?.capacity?.storage ?? '0'));
  if (sizeBytes < has)
    throw new NotReady(
      `source PersistentVolumeClaim ${key} has ${formatBytes(has)}, but only ${formatBytes(sizeBytes)} was requested: request at least ${bytesQuantity(has)}`,
    );
  const user = users.writer(key);
  // A copy made while somebody writes is of no moment that ever was.
  if (user)
    throw new NotReady(
      `source PersistentVolumeClaim ${key} is in use by VirtualMachineInstance ${user.metadata.name}: stop it first`,
    );
  return { store: stores.ofVolume(volume), name: volume.metadata.name };
}
