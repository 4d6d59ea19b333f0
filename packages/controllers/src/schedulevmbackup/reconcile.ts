import { ApiError } from '@vireo/api';
import { isConcurrentChange, keyOf, type Recorder, type Result } from '@vireo/kube';
import type { ScheduleActions } from './act.ts';
import {
  decideSchedule,
  isMadeBy,
  isNews,
  NOT_REMOVED,
  REFUSED,
  type Schedule,
  type ScheduleDecision,
  type ScheduleState,
  scheduleStatus,
} from './decide.ts';

/** When the API server is asked again for what it has refused. */
const RETRY_MS = 60_000;
/** Clocks that are set and timers for days go wrong together: nobody sleeps for longer. */
const LONGEST_WAIT_MS = 3_600_000;

export interface ScheduleParts {
  readonly act: ScheduleActions;
  readonly recorder: Recorder;
}

/** Makes the backup that is due, removes those that are too many, and says in the status how both went. */
export async function reconcileSchedule(state: ScheduleState, parts: ScheduleParts): Promise<Result | undefined> {
  const decision = decideSchedule(state);
  // Before anything is removed: whatever keeps an old backup must not keep a new one from being made.
  const { schedule, refused } = await makeDue(state, decision, parts);
  const notRemoved = await removeSurplus(state, decision, parts);
  await parts.act.writeStatus(schedule, scheduleStatus({ ...state, schedule }, decision, { refused, notRemoved }));
  const { nextMs } = decision;
  const waitsMs = [
    ...(nextMs === undefined ? [] : [Math.max(nextMs - state.nowMs, 0), LONGEST_WAIT_MS]),
    ...(refused === undefined && notRemoved === undefined ? [] : [RETRY_MS]),
  ];
  return waitsMs.length > 0 ? { requeueAfterMs: Math.min(...waitsMs) } : undefined;
}

/** The schedule as it is afterwards, and why the backup that is due was not made. */
async function makeDue(
  { schedule, nowMs }: ScheduleState,
  { dueMs }: ScheduleDecision,
  { act, recorder }: ScheduleParts,
): Promise<{ readonly schedule: Schedule; readonly refused?: string }> {
  if (dueMs === undefined) return { schedule };
  const refuse = (refused: string) => {
    if (isNews(schedule, REFUSED, refused)) recorder.event(schedule, 'Warning', REFUSED, refused);
    return { schedule, refused };
  };
  const made = await attempt(act.createBackup(schedule, dueMs));
  if ('refusal' in made) return refuse(made.refusal);
  const { object, wasCreated } = made.result;
  if (!isMadeBy(schedule, object))
    return refuse(`VirtualMachineBackup ${keyOf(object)} exists and is not of this schedule; delete it`);
  if (wasCreated)
    recorder.event(schedule, 'Normal', 'BackupCreated', `Backing up VM ${schedule.spec.vmbackup.source.name}`);
  return { schedule: await act.noteTime(schedule, nowMs) };
}

/** Why something is left that was to go. */
async function removeSurplus(
  { schedule }: ScheduleState,
  { remove }: ScheduleDecision,
  { act, recorder }: ScheduleParts,
): Promise<string | undefined> {
  const refusals: string[] = [];
  for (const each of remove) {
    const removed = await attempt(act.removeBackup(each));
    if ('refusal' in removed) refusals.push(removed.refusal);
  }
  if (refusals.length === 0) return undefined;
  const notRemoved = refusals.join('; ');
  if (isNews(schedule, NOT_REMOVED, notRemoved)) recorder.event(schedule, 'Warning', NOT_REMOVED, notRemoved);
  return notRemoved;
}

/** What comes of a write, or why the API server refuses it. What is otherwise when somebody looks again is thrown. */
async function attempt<T>(write: Promise<T>): Promise<{ readonly result: T } | { readonly refusal: string }> {
  try {
    return { result: await write };
  } catch (error) {
    if (!(error instanceof ApiError) || isConcurrentChange(error)) throw error;
    return { refusal: error.message };
  }
}
