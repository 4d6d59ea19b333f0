import {
  type ConditionDraft,
  mergeConditions,
  type Persisted,
  type PersistentVolumeClaim,
  timestamp,
} from '@vireo/api';
import type { DataVolume, DataVolumeStatus } from '@vireo/api/kinds/cdi/dataVolume.ts';
import * as names from '@vireo/api/kinds/cdi/names.ts';
import type { Operation } from './source.ts';

/** What is known of the claim of a DataVolume. */
export interface ClaimState {
  readonly claim: PersistentVolumeClaim | undefined;
  /** Its class makes volumes only when somebody uses them. */
  readonly isWaitingClass: boolean;
  /** Why the claim has no volume, where somebody knows. */
  readonly pendingCause?: string | undefined;
  /** Why there is no claim, or none that is ours. */
  readonly problem?: { readonly reason: string; readonly message: string } | undefined;
}

/** The status that a DataVolume should have. */
export function dataVolumeStatus(
  dataVolume: Persisted<DataVolume>,
  operation: Operation,
  state: ClaimState,
  now: Date,
): DataVolumeStatus {
  const { claim } = state;
  const before = dataVolume.status ?? {};
  const phase = phaseOf(before.phase, operation, state);
  const restarts = Number(claim?.metadata.annotations?.[names.POD_RESTARTS] ?? 0) || 0;
  return {
    ...before,
    ...(claim && { claimName: claim.metadata.name }),
    phase,
    progress: progressOf(phase, operation, claim),
    restartCount: restarts,
    conditions: mergeConditions(before.conditions, conditionDrafts(phase, state), now, {
      stamp: { lastHeartbeatTime: timestamp(now) },
    }),
  };
}

function phaseOf(before: string | undefined, operation: Operation, { claim, isWaitingClass }: ClaimState): string {
  if (!claim) return before === 'Failed' ? before : 'Pending';
  const { annotations = {} } = claim.metadata;
  if (claim.status?.phase === 'Lost') return 'Failed';
  if (annotations[names.POPULATED_FOR] !== undefined) return 'Succeeded';
  if (claim.status?.phase === 'Pending' || claim.status?.phase === undefined)
    return isWaitingClass && annotations[names.BIND_IMMEDIATE] === undefined ? 'WaitForFirstConsumer' : 'Pending';
  if (claim.status.phase !== 'Bound') return 'Unknown';
  const pod = annotations[names.POD_PHASE];
  if (operation === 'none' || pod === 'Succeeded') return 'Succeeded';
  if (pod === 'Failed' || annotations[names.IMPORT_FATAL] === 'true') return 'Failed';
  switch (operation) {
    case 'upload':
      return annotations[names.POD_READY] === 'true' ? 'UploadReady' : 'UploadScheduled';
    case 'clone':
      return pod === 'Running' ? 'CloneInProgress' : 'CloneScheduled';
    case 'import':
      return pod === 'Running' ? 'ImportInProgress' : 'ImportScheduled';
  }
}

function progressOf(phase: string, operation: Operation, claim: PersistentVolumeClaim | undefined): string {
  if (operation === 'upload') return 'N/A';
  if (phase === 'Succeeded') return '100.0%';
  return claim?.metadata.annotations?.[names.PROGRESS] ?? 'N/A';
}

function conditionDrafts(phase: string, state: ClaimState): ConditionDraft[] {
  const { annotations = {} } = state.claim?.metadata ?? {};
  const running = annotations[names.RUNNING] === 'true';
  return [
    boundCondition(state),
    {
      type: 'Ready',
      status: phase === 'Succeeded' ? 'True' : phase === 'Unknown' ? 'Unknown' : 'False',
      reason: running && phase !== 'Succeeded' ? 'TransferRunning' : '',
      message: '',
    },
    {
      type: 'Running',
      status: running ? 'True' : 'False',
      reason: annotations[names.RUNNING_REASON] ?? '',
      message: annotations[names.RUNNING_MESSAGE] ?? '',
    },
  ];
}

function boundCondition({ claim, problem, pendingCause }: ClaimState): ConditionDraft {
  const draft = (status: string, reason: string, message: string): ConditionDraft => ({
    type: 'Bound',
    status,
    reason,
    message,
  });
  if (problem) return draft('False', problem.reason, problem.message);
  if (!claim) return draft('False', 'NotFound', 'No PVC found');
  const { name } = claim.metadata;
  if (claim.status?.phase === 'Bound') return draft('True', 'Bound', `PVC ${name} Bound`);
  if (claim.status?.phase === 'Lost') return draft('False', 'ClaimLost', 'Claim Lost');
  return draft('False', 'Pending', `PVC ${name} Pending${pendingCause ? `: ${pendingCause}` : ''}`);
}
