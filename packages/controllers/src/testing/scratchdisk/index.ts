import { ownersOf, PersistentVolumeClaim } from '@vireo/api';
import { type ControllerContext, runController, systemClock } from '@vireo/kube';
import { ScratchDisk } from './kind.ts';
import { reconcileScratchDisk } from './reconcile.ts';

export async function startScratchDiskController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const disks = informers.for(ScratchDisk);
  const claims = informers.for(PersistentVolumeClaim, { indexes: { owner: ownersOf } });
  const reconcile = async (key: string) => {
    const disk = disks.get(key); // the key is namespace/name
    return disk && reconcileScratchDisk(disk, claims.byIndex('owner', disk.metadata.uid)[0], client, clock.now());
  };
  // Called for a disk that has changed, and for the owner of a claim that has changed.
  await runController({ name: 'scratchdisk', for: disks, owns: [claims], reconcile }, context, signal);
}
