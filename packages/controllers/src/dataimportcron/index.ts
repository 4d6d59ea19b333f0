import { type KubeObject, Pod } from '@vireo/api';
import { DataImportCron } from '@vireo/api/kinds/cdi/dataImportCron.ts';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { IMPORT_CRON_LABEL, POLLER_SELECTOR } from '@vireo/api/kinds/cdi/importCron.ts';
import { type ControllerContext, runController, systemClock, watch } from '@vireo/kube';
import { importCronActions } from './act.ts';
import { pollerName } from './poll.ts';
import { reconcileImportCron } from './reconcile.ts';

/** Imports images on a schedule, and keeps DataSources up to date with them. */
export async function startDataImportCronController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const crons = informers.for(DataImportCron);
  const dataVolumes = informers.for(DataVolume, { indexes: { importCron: cronsOf } });
  const dataSources = informers.for(DataSource);
  const pods = informers.for(Pod, { labelSelector: POLLER_SELECTOR });
  const act = importCronActions(client, recorder);

  await runController(
    {
      name: 'dataimportcron',
      for: crons,
      owns: [pods],
      watches: [watch([dataVolumes, dataSources], cronsOf)],
      reconcile: async (key) => {
        const cron = crons.get(key);
        if (!cron) return undefined;
        const { namespace } = cron.metadata;
        const observed = {
          cron,
          poller: pods.get(`${namespace}/${pollerName(cron)}`),
          imports: dataVolumes.byIndex('importCron', key),
          dataVolume: (name: string) => dataVolumes.get(`${namespace}/${name}`),
          dataSource: dataSources.get(`${namespace}/${cron.spec.managedDataSource}`),
          isCron: (name: string) => crons.get(`${namespace}/${name}`) !== undefined,
          now: new Date(clock.now()),
        };
        return reconcileImportCron(observed, act);
      },
    },
    context,
    signal,
  );
}

/** The key of the DataImportCron that has made an object. */
function cronsOf({ metadata }: KubeObject): string[] {
  const name = metadata.labels?.[IMPORT_CRON_LABEL];
  return name === undefined ? [] : [`${metadata.namespace}/${name}`];
}
