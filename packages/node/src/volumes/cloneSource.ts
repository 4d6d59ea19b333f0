import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import type { VolumeContext } from './context.ts';
import { isOurs } from './provision/decide.ts';
import { NotHere, NotReady } from './provision/notReady.ts';
import { bytes } from './store.ts';
import type { ClaimUsers } from './users.ts';

/** The disk of a claim that is to be copied into one of the given size. Throws while it cannot be read. */
export function cloneSource(
  key: string,
  sizeBytes: number,
  { claims, volumes, store, node }: Pick<VolumeContext, 'claims' | 'volumes' | 'store' | 'node'>,
  users: ClaimUsers,
): string {
  const source = claims.get(key);
  if (!source) throw new NotReady(`the PersistentVolumeClaim ${key} to be copied does not exist`);
  const volume = volumes.get(source.spec?.volumeName ?? '');
  if (source.status?.phase !== 'Bound' || !volume)
    throw new NotReady(`the PersistentVolumeClaim ${key} to be copied has no volume yet`);
  if (!isOurs(volume, node))
    throw new NotHere(`the PersistentVolumeClaim ${key} to be copied is not among the volumes of node ${node}`);
  if (waitsForData(source)) throw new NotReady(`the PersistentVolumeClaim ${key} to be copied is not filled yet`);
  const has = Number(toBytes(volume.spec?.capacity?.storage ?? '0'));
  if (sizeBytes < has)
    throw new NotReady(
      `the PersistentVolumeClaim ${key} to be copied has ${bytes(has)}, and ${bytes(sizeBytes)} are asked for: ask for more`,
    );
  const user = users.writer(key);
  // A copy made while somebody writes is of no moment that ever was.
  if (user)
    throw new NotReady(
      `the PersistentVolumeClaim ${key} to be copied is in use by VirtualMachineInstance ${user.metadata.name}: stop it first`,
    );
  return store.disk(volume.metadata.name);
}
