import { type KubeObject, PersistentVolumeClaim } from '@vireo/api';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { dataSourceStatus } from './status.ts';

/** Says of DataSources what they stand for and whether it can be used. */
export async function startDataSourceController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const dataSources = informers.for(DataSource, { indexes: { source: namedKeys } });
  const dataVolumes = informers.for(DataVolume);
  const claims = informers.for(PersistentVolumeClaim);
  const snapshots = informers.for(VolumeSnapshot);
  const naming = (key: string): string[] => dataSources.byIndex('source', key).map(keyOf);
  /** Those that name the object, and those that stand for one of these. */
  const standingFor = (object: KubeObject): string[] => naming(keyOf(object)).flatMap((key) => [key, ...naming(key)]);
  const sources = {
    claim: (key: string) => claims.get(key),
    dataVolume: (key: string) => dataVolumes.get(key),
    snapshot: (key: string) => snapshots.get(key),
    dataSource: (key: string) => dataSources.get(key),
  };

  await runController(
    {
      name: 'datasource',
      for: dataSources,
      watches: [watch([dataVolumes, claims, snapshots, dataSources], standingFor)],
      reconcile: async (key) => {
        const dataSource = dataSources.get(key);
        if (!dataSource) return;
        const status = dataSourceStatus(dataSource, sources, new Date(clock.now()));
        await client.of(DataSource).writeStatus(dataSource, status);
      },
    },
    context,
    signal,
  );
}

/** Keys of what a DataSource names; kinds do not matter, a look too many does no harm. */
function namedKeys({ spec }: DataSource): string[] {
  const { pvc, snapshot, dataSource } = spec.source;
  return [pvc, snapshot, dataSource].flatMap((named) => (named ? [`${named.namespace}/${named.name}`] : []));
}
