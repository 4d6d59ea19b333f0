import { PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { DataVolumeSourceSpec } from '@vireo/api/kinds/cdi/dataVolumeSource.ts';
import { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { enqueueKey, enqueueOwner, keyOf, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { dataVolumeActions } from './act.ts';
import { reconcileDataVolume } from './reconcile.ts';
import { sourceOf } from './source.ts';

const CONCURRENCY = 4;

/** Makes claims for DataVolumes, says what is to be on them, and tells how far that is. */
export async function startDataVolumeController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, metrics, clock = systemClock } = context;
  const dataVolumes = informers.for(DataVolume);
  const claims = informers.for(PersistentVolumeClaim);
  const classes = informers.for(StorageClass);
  const profiles = informers.for(StorageProfile);
  const dataSources = informers.for(DataSource);
  const snapshots = informers.for(VolumeSnapshot);
  const configs = informers.for(CDIConfig);
  const queue = new WorkQueue({ clock });
  const act = dataVolumeActions(client, recorder);
  dataVolumes.on(enqueueKey(queue));
  claims.on(enqueueOwner(queue, DataVolume));
  // A claim of the same name that is not theirs may have been in the way.
  claims.on({ deleted: (claim) => queue.add(keyOf(claim)) });
  const enqueueUnfilled = (): void => {
    for (const each of dataVolumes.list()) if (!each.status?.claimName) queue.add(keyOf(each));
  };
  const enqueuePending = ({ metadata }: StorageClass): void => {
    for (const each of claims.list())
      if (each.spec?.storageClassName === metadata.name && each.status?.phase !== 'Bound') queue.add(keyOf(each));
  };
  classes.on({ added: enqueuePending, deleted: enqueuePending });
  dataSources.on({ added: enqueueUnfilled, updated: enqueueUnfilled });

  const sourceSize = (source: DataVolumeSourceSpec | undefined): string | undefined => {
    if (source?.pvc) {
      const claim = claims.get(`${source.pvc.namespace}/${source.pvc.name}`);
      return text(claim?.status?.capacity?.storage ?? claim?.spec?.resources?.requests?.storage);
    }
    if (!source?.snapshot) return undefined;
    return text(snapshots.get(`${source.snapshot.namespace}/${source.snapshot.name}`)?.status?.restoreSize);
  };

  await runController(
    {
      name: 'datavolume',
      queue,
      informers: [dataVolumes, claims, classes, profiles, dataSources, snapshots, configs],
      concurrency: CONCURRENCY,
      log,
      metrics,
      reconcile: async (key) => {
        const dataVolume = dataVolumes.get(key);
        if (!dataVolume) return;
        const source = sourceOf(dataVolume, (of) => dataSources.get(of));
        await reconcileDataVolume(
          {
            dataVolume,
            claim: claims.get(key),
            source,
            world: {
              classes: classes.list(),
              profile: (name) => profiles.get(name),
              sourceSize: sourceSize(source),
            },
            isWaitingClass: ({ spec }) =>
              classes.get(spec?.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer',
            allowsAdoption: configs.get('config')?.spec?.featureGates?.includes('DataVolumeClaimAdoption') ?? false,
            now: new Date(clock.now()),
          },
          act,
        );
      },
    },
    signal,
  );
}

const text = (quantity: string | number | undefined): string | undefined =>
  quantity === undefined ? undefined : String(quantity);
