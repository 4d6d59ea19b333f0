import { changes } from '@vireo/api';
import { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import { enqueueKey, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { isDeleting } from '../kinds.ts';
import { upgradeLogStatus } from './status.ts';

/** Says of upgrade logs that they can be collected: here nothing has to be set up for that. */
export async function startUpgradeLogController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, log, metrics, clock = systemClock } = context;
  const logs = informers.for(UpgradeLog);
  const queue = new WorkQueue({ clock });
  logs.on(enqueueKey(queue));
  await runController(
    {
      name: 'upgradelog',
      queue,
      informers: [logs],
      log,
      metrics,
      reconcile: async (key) => {
        const upgradeLog = logs.get(key);
        if (!upgradeLog || isDeleting(upgradeLog)) return;
        const difference = changes(upgradeLog.status ?? {}, upgradeLogStatus(upgradeLog, new Date(clock.now())));
        if (!difference) return;
        const { name = '', namespace, resourceVersion } = upgradeLog.metadata;
        const patch = { metadata: { resourceVersion }, status: difference };
        await client.of(UpgradeLog).patchStatus(name, patch, { namespace, type: 'merge' });
      },
    },
    signal,
  );
}
