import { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import type { Informers } from '@vireo/kube';
import type { Archives } from '../../support/index.ts';

/** Archives go when the object goes that they are listed in, also when it went while nobody looked. */
export function removeWithTheirLogs(archives: Archives, informers: Informers): void {
  const startedAt = Date.now();
  const logs = informers.for(UpgradeLog);
  // What stays behind takes room, and no more than that.
  const ignore = (): void => {};
  logs.on({
    deleted: ({ metadata, status }) =>
      void archives.remove(metadata.namespace ?? '', Object.keys(status?.archives ?? {})).catch(ignore),
  });
  const isListed = (namespace: string, name: string): boolean =>
    logs
      .list()
      .some(({ metadata, status }) => metadata.namespace === namespace && Object.hasOwn(status?.archives ?? {}, name));
  logs
    .whenSynced()
    .then(() => archives.prune(isListed, startedAt))
    .catch(ignore);
}
