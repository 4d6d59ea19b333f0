import { isDeleting, type Persisted } from '@vireo/api';
import { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import type { Client } from '@vireo/kube';
import { upgradeLogStatus } from './status.ts';

export async function reconcileUpgradeLog(
  log: Persisted<UpgradeLog> | undefined,
  client: Client,
  now: Date,
): Promise<void> {
  if (log && !isDeleting(log)) await client.of(UpgradeLog).writeStatus(log, upgradeLogStatus(log, now));
}
