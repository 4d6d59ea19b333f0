import { PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { DataVolumeSourceSpec } from '@vireo/api/kinds/cdi/dataVolumeSource.ts';
import { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { dataVolumeActions } from './act.ts';
import { reconcileDataVolume } from './reconcile.ts';
import { sourceOf } from './source.ts';

const CONCURRENCY = 4;

/** Makes claims for DataVolumes, says what is to be on them, and tells how far that is. */
export async function startDataVolumeController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const dataVolumes = informers.for(DataVolume);
  const claims = informers.for(PersistentVolumeClaim);
  const classes = informers.for(StorageClass);
  const profiles = informers.for(StorageProfile);
  const dataSources = informers.for(DataSource);
  const snapshots = informers.for(VolumeSnapshot);
  const configs = informers.for(CDIConfig);
  const act = dataVolumeActions(client, recorder);

  const unfilledKeys = (): string[] =>
    dataVolumes
      .list()
      .filter(({ status }) => !status?.claimName)
      .map(keyOf);
  const pendingOf = ({ metadata }: StorageClass): string[] =>
    claims
      .list()
      .filter(({ spec, status }) => spec?.storageClassName === metadata.name && status?.phase !== 'Bound')
      .map(keyOf);
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
      concurrency: CONCURRENCY,
      for: dataVolumes,
      owns: [claims],
      watches: [
        // A claim of the same name that is not theirs may have been in the way.
        watch(claims, { deleted: keyOf }),
        watch(classes, { added: pendingOf, deleted: pendingOf }),
        watch(dataSources, { changed: unfilledKeys }),
      ],
      reads: [profiles, snapshots, configs],
      reconcile: async (key) => {
        const dataVolume = dataVolumes.get(key);
        if (!dataVolume) return;
        const source = sourceOf(dataVolume, (of) => dataSources.get(of));
        await reconcileDataVolume(
          {
            dataVolume,
            claim: claims.get(key),
            source,
            claimContext: {
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
    context,
    signal,
  );
}

const text = (quantity: string | number | undefined): string | undefined =>
  quantity === undefined ? undefined : String(quantity);
