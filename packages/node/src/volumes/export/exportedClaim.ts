import { stat } from 'node:fs/promises';
import { unavailable } from '@vireo/api';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import { VolumeError } from '../../disks/volumeError.ts';
import { expectMountedFor, findVolume, locate, pathOf } from '../claimDisk.ts';
import type { VolumeContext } from '../context.ts';
import type { ClaimUsers } from '../users.ts';

/** A claim whose data is read from outside. */
export interface ExportedClaim {
  /** The file or device that is its disk. */
  readonly disk: string;
  /** Where files beside the disk are; undefined where the volume is a file or a device by itself. */
  readonly directory: string | undefined;
  /** Throws when a guest has begun to write: what was read since may be of no moment that ever was. */
  expectUnused(): void;
}

/** Finds the data of a claim, by `namespace/name`, for somebody who reads it. Refuses what is not there or changing. */
export async function exportedClaim(
  key: string,
  context: Pick<VolumeContext, 'claims' | 'volumes' | 'stores'> & { readonly users: ClaimUsers },
): Promise<ExportedClaim> {
  const { users } = context;
  const expectUnused = (): void => {
    const user = users.writer(key);
    if (user)
      throw unavailable(
        `PersistentVolumeClaim ${key} is in use by VirtualMachineInstance ${user.metadata.name}: stop that VM first`,
      );
  };
  try {
    const { claim, volume } = findVolume(key, context);
    if (waitsForData(claim)) throw unavailable(`PersistentVolumeClaim ${key} is not populated yet`);
    expectUnused();
    await expectMountedFor(key, volume, context.stores);
    const { path: disk } = await locate(volume);
    const path = pathOf(volume);
    const isDirectory = (await stat(path)).isDirectory();
    return { disk, directory: isDirectory ? path : undefined, expectUnused };
  } catch (error) {
    if (error instanceof VolumeError) throw unavailable(error.message);
    throw error;
  }
}
