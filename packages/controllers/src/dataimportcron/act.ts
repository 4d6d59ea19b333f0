import { type Persisted, Pod, timestamp } from '@vireo/api';
import { DataImportCron } from '@vireo/api/kinds/cdi/dataImportCron.ts';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { DESIRED_DIGEST, IMPORT_CRON_FINALIZER, LAST_CRON_TIME } from '@vireo/api/kinds/cdi/importCron.ts';
import { type Client, ignoreAlreadyExists, ignoreNotFoundOrConflict, type Recorder } from '@vireo/kube';
import { createNamingPod } from '../namingPod.ts';
import { type DataSourceChange, dataSourceOf, importOf } from './imports.ts';
import { pollerPod } from './poll.ts';

/** The writes of the controller of DataImportCrons. */
export type ImportCronActions = ReturnType<typeof importCronActions>;

export function importCronActions(client: Client, recorder: Recorder) {
  const crons = client.of(DataImportCron);
  const deleteOne = (dataVolume: Persisted<DataVolume>): Promise<unknown> =>
    client.of(DataVolume).deleteExactly(dataVolume).catch(ignoreNotFoundOrConflict);
  return {
    addFinalizer: (cron: Persisted<DataImportCron>) => crons.addFinalizer(cron, IMPORT_CRON_FINALIZER),

    /** Lets the DataImportCron go, when what it has made is gone or going. */
    async release(
      cron: Persisted<DataImportCron>,
      imports: readonly Persisted<DataVolume>[],
      dataSource: Persisted<DataSource> | undefined,
    ): Promise<void> {
      for (const each of imports) await deleteOne(each);
      if (dataSource) await client.of(DataSource).deleteExactly(dataSource).catch(ignoreNotFoundOrConflict);
      await crons.removeFinalizer(cron, IMPORT_CRON_FINALIZER);
    },

    createPoller: (cron: Persisted<DataImportCron>) => createNamingPod(pollerPod(cron), cron, { client, recorder }),

    deletePoller: (pod: Persisted<Pod>) => client.of(Pod).deleteExactly(pod).catch(ignoreNotFoundOrConflict),

    async recordDigest(cron: Persisted<DataImportCron>, digest: string, pod: Persisted<Pod>): Promise<void> {
      const at = timestamp(new Date(pod.metadata.creationTimestamp));
      const annotations = { [DESIRED_DIGEST]: digest, [LAST_CRON_TIME]: at };
      await crons.patchExactly(cron, { metadata: { annotations } });
      await client.of(Pod).deleteExactly(pod).catch(ignoreNotFoundOrConflict);
    },

    createImport: (cron: Persisted<DataImportCron>, digest: string) =>
      client.of(DataVolume).create(importOf(cron, digest)).catch(ignoreAlreadyExists),

    createDataSource: (cron: Persisted<DataImportCron>) =>
      client.of(DataSource).create(dataSourceOf(cron)).catch(ignoreAlreadyExists),

    changeDataSource: (dataSource: Persisted<DataSource>, change: DataSourceChange) =>
      client.of(DataSource).patchIfUnchanged(dataSource, change),

    refuseDataSource(cron: Persisted<DataImportCron>, manager: string): void {
      const message = `DataSource ${cron.spec.managedDataSource} is already managed by DataImportCron ${manager}`;
      recorder.event(cron, 'Warning', 'ErrDataSourceAlreadyManaged', message);
    },

    deleteImport: deleteOne,

    writeStatus: (cron: Persisted<DataImportCron>, status: object) => crons.writeStatus(cron, status),
  };
}
