import { changes, type KubeObject, PersistentVolumeClaim } from '@vireo/api';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { enqueueKey, keyOf, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { dataSourceStatus } from './status.ts';

/** Says of DataSources what they stand for and whether it can be used. */
export async function startDataSourceController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, log, metrics, clock = systemClock } = context;
  const dataSources = informers.for(DataSource, { indexes: { source: namedKeys } });
  const dataVolumes = informers.for(DataVolume);
  const claims = informers.for(PersistentVolumeClaim);
  const snapshots = informers.for(VolumeSnapshot);
  const queue = new WorkQueue({ clock });
  dataSources.on(enqueueKey(queue));
  const onSource = (object: KubeObject): void => {
    for (const dataSource of dataSources.byIndex('source', keyOf(object))) {
      queue.add(keyOf(dataSource));
      // And those that stand for this one.
      for (const outer of dataSources.byIndex('source', keyOf(dataSource))) queue.add(keyOf(outer));
    }
  };
  for (const informer of [dataVolumes, claims, snapshots, dataSources])
    informer.on({ added: onSource, updated: (_, object) => onSource(object), deleted: onSource });
  await runController(
    {
      name: 'datasource',
      queue,
      informers: [dataSources, dataVolumes, claims, snapshots],
      log,
      metrics,
      reconcile: async (key) => {
        const dataSource = dataSources.get(key);
        if (!dataSource) return;
        const sources = {
          claim: (of: string) => claims.get(of),
          dataVolume: (of: string) => dataVolumes.get(of),
          snapshot: (of: string) => snapshots.get(of),
          dataSource: (of: string) => dataSources.get(of),
        };
        const difference = changes(
          dataSource.status ?? {},
          dataSourceStatus(dataSource, sources, new Date(clock.now())),
        );
        if (!difference) return;
        const { name = '', namespace, resourceVersion } = dataSource.metadata;
        const patch = { metadata: { resourceVersion }, status: difference };
        await client.of(DataSource).patchStatus(name, patch, { namespace, type: 'merge' });
      },
    },
    signal,
  );
}

/** Keys of what a DataSource names; kinds do not matter, a look too many does no harm. */
function namedKeys({ spec }: DataSource): string[] {
  const { pvc, snapshot, dataSource } = spec.source;
  return [pvc, snapshot, dataSource].flatMap((named) => (named ? [`${named.namespace}/${named.name}`] : []));
}
