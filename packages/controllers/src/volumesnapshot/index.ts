import { PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { type ControllerContext, runController, systemClock, watch } from '@vireo/kube';
import { volumeSnapshotActions } from './act.ts';
import { contentName } from './content.ts';
import { reconcileVolumeSnapshot } from './reconcile.ts';

/** Joins snapshots of claims with the contents that drivers keep, and tells how far those are. */
export async function startVolumeSnapshotController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const snapshots = informers.for(VolumeSnapshot);
  const contents = informers.for(VolumeSnapshotContent);
  const classes = informers.for(VolumeSnapshotClass);
  const claims = informers.for(PersistentVolumeClaim);
  const volumes = informers.for(PersistentVolume);
  const act = volumeSnapshotActions(client, recorder);

  await runController(
    {
      name: 'volumesnapshot',
      for: snapshots,
      watches: [watch(contents, ({ spec: { volumeSnapshotRef: of } }) => `${of.namespace}/${of.name}`)],
      reads: [classes, claims, volumes],
      reconcile: async (key) => {
        const snapshot = snapshots.get(key);
        if (!snapshot) return undefined;
        return reconcileVolumeSnapshot(
          {
            snapshot,
            content: contents.get(contentName(snapshot)),
            claims: () => claims.list(),
            lookup: {
              claim: (name) => claims.get(`${snapshot.metadata.namespace}/${name}`),
              volume: (name) => volumes.get(name),
              classes: classes.list(),
            },
            now: new Date(clock.now()),
          },
          act,
        );
      },
    },
    context,
    signal,
  );
}
