import { isDeleting, type Persisted, type Pod } from '@vireo/api';
import type { DataImportCron } from '@vireo/api/kinds/cdi/dataImportCron.ts';
import type { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { IMPORT_CRON_FINALIZER, IMPORT_CRON_LABEL, pollResultOf } from '@vireo/api/kinds/cdi/importCron.ts';
import type { Result } from '@vireo/kube';
import type { ImportCronActions } from './act.ts';
import { dataSourceChange, digestOf, importName, outdatedImports } from './imports.ts';
import { decidePoll } from './poll.ts';
import { cronStatus } from './status.ts';

/** A DataImportCron with what it has made. */
export interface ObservedCron {
  readonly cron: Persisted<DataImportCron>;
  readonly poller: Persisted<Pod> | undefined;
  /** The DataVolumes that have its label. */
  readonly imports: readonly Persisted<DataVolume>[];
  /** The DataVolume of its namespace that has a name. */
  readonly dataVolume: (name: string) => Persisted<DataVolume> | undefined;
  readonly dataSource: Persisted<DataSource> | undefined;
  /** Whether there is another DataImportCron of that name in its namespace. */
  readonly isCron: (name: string) => boolean;
  readonly now: Date;
}

/** Looks at the image, imports it when it is new, and has the DataSource stand for the last import that succeeded. */
export async function reconcileImportCron(observed: ObservedCron, act: ImportCronActions): Promise<Result | undefined> {
  const { cron, poller, imports, dataSource, now } = observed;
  const keepsNothing = cron.spec.retentionPolicy === 'None';
  const manager = dataSource?.metadata.labels?.[IMPORT_CRON_LABEL];
  if (isDeleting(cron)) {
    if (!cron.metadata.finalizers?.includes(IMPORT_CRON_FINALIZER)) return undefined;
    const isOurs = manager === cron.metadata.name;
    await act.release(cron, keepsNothing ? imports : [], keepsNothing && isOurs ? dataSource : undefined);
    return undefined;
  }
  // The write enqueues it again.
  if (keepsNothing && !cron.metadata.finalizers?.includes(IMPORT_CRON_FINALIZER)) {
    await act.addFinalizer(cron);
    return undefined;
  }
  const digest = digestOf(cron);
  const current = digest ? observed.dataVolume(importName(cron, digest)) : undefined;
  await act.writeStatus(cron, cronStatus(cron, { current, poll: poller && pollResultOf(poller), now }));
  if (digest && !current) await act.createImport(cron, digest);
  const isImported = current?.status?.phase === 'Succeeded';
  if (manager !== undefined && manager !== cron.metadata.name && observed.isCron(manager))
    act.refuseDataSource(cron, manager);
  else if (!dataSource) await act.createDataSource(cron);
  else {
    const change = dataSourceChange(cron, dataSource, isImported ? current.metadata.name : undefined);
    if (change) await act.changeDataSource(dataSource, change);
    else if (isImported)
      for (const each of outdatedImports(cron, imports, current.metadata.name)) await act.deleteImport(each);
  }
  return poll(observed, act);
}

async function poll({ cron, poller, now }: ObservedCron, act: ImportCronActions): Promise<Result | undefined> {
  const decision = decidePoll(cron, poller, now);
  switch (decision.action) {
    case 'create':
      await act.createPoller(cron);
      return undefined;
    case 'record':
      await act.recordDigest(cron, decision.digest, decision.pod);
      return undefined;
    case 'delete':
      await act.deletePoller(decision.pod);
      return undefined;
    case 'none':
      return decision.requeueAfterMs === undefined ? undefined : { requeueAfterMs: decision.requeueAfterMs };
  }
}
