import { type ConditionDraft, timestamp } from '@vireo/api';
import {
  type HarvesterRestoreStatus,
  NETWORKS_MISSING,
  networksMissing,
} from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { harvesterConditions } from '../harvester/conditions.ts';
import { totalPercent } from '../vmbackup/status.ts';
import type { Restore } from './plan.ts';

type Status = HarvesterRestoreStatus;

const ALMOST = 99;

const withConditions = (restore: Restore, status: Status, drafts: readonly ConditionDraft[], now: Date): Status => ({
  ...restore.status,
  ...status,
  conditions: harvesterConditions(restore.status?.conditions, drafts, now),
});

/** At work on what `doing` says. */
export const progressingStatus = (restore: Restore, status: Status, doing: string, now: Date): Status =>
  withConditions(
    restore,
    status,
    [
      { type: 'InProgress', status: 'True', message: doing },
      { type: 'Ready', status: 'False', message: doing },
    ],
    now,
  );

/** How far the volumes are, in percent by name. */
export const restoringStatus = (restore: Restore, percentOf: (volume: string) => number, now: Date): Status => {
  const restores = (restore.status?.restores ?? []).map((each) => ({
    ...each,
    progress: percentOf(each.volumeName ?? ''),
  }));
  return progressingStatus(
    restore,
    { restores, progress: Math.min(ALMOST, totalPercent(restores)) },
    'Restoring the volumes',
    now,
  );
};

/** Given up for good. */
export const failedStatus = (restore: Restore, message: string, now: Date): Status =>
  withConditions(
    restore,
    {},
    [
      { type: 'InProgress', status: 'False', reason: 'Error', message },
      { type: 'Ready', status: 'False', reason: 'Error', message },
    ],
    now,
  );

/** The VM is there. `missingNetworks`: what it waits for all the same when it is to start. */
export const completeStatus = (
  restore: Restore,
  { metadata }: Vm,
  missingNetworks: readonly string[],
  now: Date,
): Status =>
  withConditions(
    restore,
    {
      complete: true,
      progress: 100,
      restoreTime: restore.status?.restoreTime ?? timestamp(now),
      restores: (restore.status?.restores ?? []).map((each) => ({ ...each, progress: 100 })),
      targetUID: metadata.uid,
    },
    [
      { type: 'InProgress', status: 'False', message: 'Operation complete' },
      missingNetworks.length > 0
        ? {
            type: 'Ready',
            status: 'True',
            reason: NETWORKS_MISSING,
            message: networksMissing(metadata.name, missingNetworks),
          }
        : { type: 'Ready', status: 'True', message: 'Operation complete' },
    ],
    now,
  );
