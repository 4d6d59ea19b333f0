import type { Condition } from '../../data/kinds.ts';
import type { State, StateGroup } from '../states.ts';
import {
  annotationOf,
  BOUND_MESSAGE,
  type Claim,
  type DataSource,
  type DataVolume,
  POD_PHASE,
  POD_READY,
  PROGRESS,
  RUNNING_MESSAGE,
  type VmImage,
} from './objects.ts';

/** How a volume is doing: the state, how far it is, and why it is not ready. */
export interface Standing {
  readonly state: State;
  /** 0 to 100; undefined if nobody knows or nothing is under way. */
  readonly percent?: number;
  readonly reason?: string;
}

const PHASES: Readonly<Record<string, readonly [StateGroup, string]>> = {
  Succeeded: ['running', 'Ready'],
  Pending: ['starting', 'Waiting for space'],
  PVCBound: ['starting', 'Preparing'],
  WaitForFirstConsumer: ['off', 'Waits for a machine'],
  PendingPopulation: ['off', 'Waits for a machine'],
  ImportScheduled: ['starting', 'Import begins'],
  ImportInProgress: ['starting', 'Importing'],
  CloneScheduled: ['starting', 'Copy begins'],
  CloneInProgress: ['starting', 'Copying'],
  CSICloneInProgress: ['starting', 'Copying'],
  CloneFromSnapshotSourceInProgress: ['starting', 'Copying'],
  SnapshotForSmartCloneInProgress: ['starting', 'Copying'],
  SmartClonePVCInProgress: ['starting', 'Copying'],
  PrepClaimInProgress: ['starting', 'Preparing'],
  RebindInProgress: ['starting', 'Preparing'],
  ExpansionInProgress: ['starting', 'Growing'],
  NamespaceTransferInProgress: ['starting', 'Copying'],
  UploadScheduled: ['starting', 'Preparing upload'],
  UploadReady: ['paused', 'Waits for an upload'],
  Paused: ['paused', 'Paused'],
  Failed: ['trouble', 'Failed'],
};

/** Reasons of the condition Running of something that is tried again. */
const FAILING = new Set(['Error', 'CrashLoopBackOff']);
const FAILURES: Readonly<Record<string, string>> = {
  'Import begins': 'Import fails',
  Importing: 'Import fails',
  'Copy begins': 'Copy fails',
  Copying: 'Copy fails',
};

const DELETING: State = { group: 'stopping', label: 'Being deleted', word: 'Terminating' };
const named = (group: StateGroup, label: string, word: string): State => ({ group, label, word });
const withReason = (state: State, reason: string | undefined, percent?: number): Standing => ({
  state,
  ...(reason && { reason }),
  ...(percent !== undefined && { percent }),
});
const conditionOf = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

/** `42.17%` as a number. */
export function percentOf(progress: string | undefined): number | undefined {
  const percent = /^\d+(\.\d+)?%$/.test(progress ?? '') ? Number.parseFloat(progress ?? '') : undefined;
  return percent === undefined ? undefined : Math.min(100, percent);
}

export function dataVolumeStanding(volume: DataVolume): Standing {
  if (volume.metadata.deletionTimestamp) return { state: DELETING };
  const { phase = 'Pending', progress, conditions } = volume.status ?? {};
  const [group, label] = (Object.hasOwn(PHASES, phase) && PHASES[phase]) || (['unclear', phase] as const);
  const running = conditionOf(conditions, 'Running');
  // It is tried again and again; until somebody mends the cause, it fails.
  const isFailing = group === 'starting' && running?.status === 'False' && FAILING.has(running.reason ?? '');
  const state = isFailing ? named('trouble', FAILURES[label] ?? 'Failing', phase) : named(group, label, phase);
  if (phase === 'Succeeded') return { state };
  const bound = conditionOf(conditions, 'Bound');
  const said = running?.status === 'False' && running.reason !== 'Completed' ? running.message : undefined;
  return withReason(
    state,
    said || (bound?.status === 'False' ? bound.message : undefined),
    group === 'starting' ? percentOf(progress) : undefined,
  );
}

export function claimStanding(claim: Claim): Standing {
  if (claim.metadata.deletionTimestamp) return { state: DELETING };
  const phase = claim.status?.phase ?? 'Pending';
  const said = annotationOf(claim, RUNNING_MESSAGE);
  if (phase === 'Pending')
    return withReason(named('starting', 'Waiting for space', phase), annotationOf(claim, BOUND_MESSAGE));
  if (phase !== 'Bound') return { state: named('trouble', phase === 'Lost' ? 'Lost' : phase, phase) };
  switch (annotationOf(claim, POD_PHASE)) {
    case 'Failed':
      return withReason(named('trouble', 'Failed', 'Failed'), said);
    case 'Pending':
    case 'Running':
      return annotationOf(claim, POD_READY) === 'true'
        ? withReason(named('paused', 'Waits for an upload', 'UploadReady'), said)
        : withReason(named('starting', 'Being filled', 'Running'), said, percentOf(annotationOf(claim, PROGRESS)));
    default:
      return { state: named('running', 'Ready', phase) };
  }
}

export function dataSourceStanding(source: DataSource): Standing {
  if (source.metadata.deletionTimestamp) return { state: DELETING };
  const ready = conditionOf(source.status?.conditions, 'Ready');
  if (ready?.status === 'True') return { state: named('running', 'Ready', 'Ready') };
  return withReason(named(ready ? 'trouble' : 'starting', ready ? 'Not ready' : 'Pending', 'NotReady'), ready?.message);
}

export function imageStanding(image: VmImage): Standing {
  if (image.metadata.deletionTimestamp) return { state: DELETING };
  const { conditions, progress } = image.status ?? {};
  const imported = conditionOf(conditions, 'Imported');
  if (imported?.status === 'True') return { state: named('running', 'Ready', 'Imported') };
  if (conditionOf(conditions, 'RetryLimitExceeded')?.status === 'True' || imported?.status === 'False')
    return withReason(named('trouble', 'Failed', 'Failed'), imported?.message);
  const isUpload = image.spec?.sourceType === 'upload';
  const state = isUpload
    ? named('paused', 'Waits for an upload', 'Unknown')
    : named('starting', 'Importing', 'Unknown');
  return withReason(state, imported?.message, progress);
}
