import { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import { type ControllerContext, runController, systemClock } from '@vireo/kube';
import { reconcileUpgradeLog } from './reconcile.ts';

/** Says of upgrade logs that they can be collected: here nothing has to be set up for that. */
export async function startUpgradeLogController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const logs = informers.for(UpgradeLog);
  await runController(
    {
      name: 'upgradelog',
      for: logs,
      reconcile: (key) => reconcileUpgradeLog(logs.get(key), client, new Date(clock.now())),
    },
    context,
    signal,
  );
}
