import type { UpgradeLog, UpgradeLogStatus } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import { harvesterConditions } from '../harvester/conditions.ts';

/** The status that an upgrade log should have: what Harvester sets up first is there from the beginning. */
export function upgradeLogStatus({ status = {} }: UpgradeLog, now: Date): UpgradeLogStatus {
  const isReady = Object.values(status.archives ?? {}).some(({ ready }) => ready);
  const drafts = [
    ...['LoggingOperatorReady', 'InfraReady', 'Started'].map((type) => ({ type, status: 'True' })),
    { type: 'DownloadReady', status: isReady ? 'True' : 'False' },
  ];
  return { ...status, conditions: harvesterConditions(status.conditions, drafts, now) };
}
