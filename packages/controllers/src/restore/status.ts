import { type ConditionDraft, timestamp } from '@vireo/api';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import type { Restore, RestoreStatus } from './kinds.ts';

type ConditionStatus = 'True' | 'False';

const conditions = (
  restore: Restore,
  [progressing, why]: readonly [ConditionStatus, string],
  [ready, whyReady]: readonly [ConditionStatus, string],
  now: Date,
  more: readonly ConditionDraft[] = [],
): RestoreStatus['conditions'] =>
  setConditions(
    restore.status?.conditions,
    [
      { type: 'Progressing', status: progressing, reason: why },
      { type: 'Ready', status: ready, reason: whyReady },
      ...more,
    ],
    now,
  );

/** At work on what `doing` says; `waitingFor`: why it cannot be used yet. */
export const progressingStatus = (restore: Restore, doing: string, waitingFor: string, now: Date): RestoreStatus => ({
  ...restore.status,
  complete: false,
  conditions: conditions(restore, ['True', doing], ['False', waitingFor], now),
});

/** Waiting for something that others have to do, or for something to get better. */
export const waitingStatus = (restore: Restore, reason: string, now: Date): RestoreStatus => ({
  ...restore.status,
  complete: false,
  conditions: conditions(restore, ['False', reason], ['False', reason], now),
});

/** Given up for good. */
export const failedStatus = (restore: Restore, reason: string, now: Date): RestoreStatus => ({
  ...restore.status,
  complete: false,
  conditions: conditions(restore, ['False', reason], ['False', reason], now, [
    { type: 'Failure', status: 'True', reason },
  ]),
});

export const completeStatus = (restore: Restore, now: Date): RestoreStatus => ({
  ...restore.status,
  complete: true,
  restoreTime: restore.status?.restoreTime ?? timestamp(now),
  conditions: conditions(restore, ['False', 'Operation complete'], ['True', 'Operation complete'], now),
});
