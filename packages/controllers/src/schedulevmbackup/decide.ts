import { conditionOf, isDeleting, type Persisted } from '@vireo/api';
import { nextTime } from '@vireo/api/cron.ts';
import {
  SCHEDULE_LABEL,
  type ScheduleVmBackup,
  type ScheduleVmBackupStatus,
} from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { type HarvesterBackup, isBackupReady } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { type Draft, keyOf } from '@vireo/kube';
import { harvesterConditions } from '../harvester/conditions.ts';
import { failureOf } from '../vmbackup/status.ts';

export type Schedule = Persisted<ScheduleVmBackup>;
export type Backup = Persisted<HarvesterBackup>;

const DEFAULT_RETAIN = 8;
const DEFAULT_MAX_FAILURE = 4;

/** On schedules: the last time that a backup was made. */
export const LAST_TIME = 'vireo.io/last-backup-time';

/** Conditions of a schedule whose backups the API server does not let come or go, and reasons of its events. */
export const REFUSED = 'BackupRefused';
export const NOT_REMOVED = 'BackupNotRemoved';

/** All that is known of one schedule. */
export interface ScheduleState {
  readonly schedule: Schedule;
  /** Those that it has made. */
  readonly backups: readonly Backup[];
  /** Whether a restore needs a backup. */
  isInUse(backup: Backup): boolean;
  readonly nowMs: number;
}

/** What comes next for a schedule. */
export interface ScheduleDecision {
  /** The time of the backup to be made now, in milliseconds. */
  readonly dueMs?: number;
  readonly remove: readonly Backup[];
  /** When to look again. */
  readonly nextMs?: number;
  readonly suspendedBecause?: string;
  readonly failures: number;
}

/** Why the API server did not let a schedule do what it has to do; undefined where it did. */
export interface ScheduleProblems {
  readonly refused?: string | undefined;
  readonly notRemoved?: string | undefined;
}

const createdMs = ({ metadata }: Persisted): number => Date.parse(metadata.creationTimestamp);
/** The oldest first; of those of one second, by the times in their names. */
const byAge = (a: Backup, b: Backup): number =>
  createdMs(a) - createdMs(b) || (a.metadata.name < b.metadata.name ? -1 : 1);

/** What a schedule has to do, from the backups that it has made. */
export function decideSchedule({ schedule, backups, isInUse, nowMs }: ScheduleState): ScheduleDecision {
  const { cron, suspend, retain = DEFAULT_RETAIN, maxFailure = DEFAULT_MAX_FAILURE } = schedule.spec;
  const own = backups.filter((each) => !isDeleting(each)).toSorted(byAge);
  const whole = own.filter(isBackupReady);
  const lastWholeMs = whole.length > 0 ? createdMs(whole.at(-1)!) : 0;
  const failed = own.filter((each) => failureOf(each) !== undefined);
  const failures = failed.filter((each) => createdMs(each) >= lastWholeMs).length;
  // One that failed before another went well tells nobody anything any more.
  const outdated = failed.filter((each) => createdMs(each) < lastWholeMs);
  const surplus = whole.slice(0, Math.max(0, whole.length - retain));
  const remove = [...surplus, ...outdated].filter((each) => !isInUse(each));
  const why = suspend ? 'spec.suspend is true' : undefined;
  const given = failures >= maxFailure ? `the last ${failures} backups failed; delete them to go on` : undefined;
  const suspendedBecause = why ?? given;
  if (suspendedBecause !== undefined) return { remove, failures, suspendedBecause };
  const next = nextTime(cron, new Date(lastMs(schedule, backups)))?.getTime();
  if (next === undefined) return { remove, failures };
  if (next > nowMs) return { remove, failures, nextMs: next };
  // What was missed is made up for once, and one at a time.
  const isBusy = own.some((each) => !isBackupReady(each) && failureOf(each) === undefined);
  const after = nextTime(cron, new Date(nowMs))?.getTime();
  return { remove, failures, ...(!isBusy && { dueMs: next }), ...(after !== undefined && { nextMs: after }) };
}

/** When the last backup was made: whoever made it may have died before it could say so on the schedule. */
const lastMs = ({ metadata }: Schedule, backups: readonly Backup[]): number =>
  Math.max(Date.parse(metadata.annotations?.[LAST_TIME] ?? metadata.creationTimestamp), ...backups.map(createdMs));

/** A backup of a schedule: its name follows from the time, so that there is one. */
export const backupAt = (schedule: Schedule, timeMs: number): Draft<HarvesterBackup> => ({
  metadata: {
    name: `${schedule.metadata.name}-${new Date(timeMs)
      .toISOString()
      .replace(/[-:]|\.\d+Z$/g, '')
      .toLowerCase()}`,
    namespace: schedule.metadata.namespace,
    labels: { [SCHEDULE_LABEL]: schedule.metadata.uid },
    annotations: { [SCHEDULE_LABEL]: keyOf(schedule) },
  },
  spec: schedule.spec.vmbackup,
});

/** The key of the schedule that a backup says has made it: one of its own namespace. */
export function scheduleKeyOf({ metadata }: HarvesterBackup): string | undefined {
  const key = metadata.annotations?.[SCHEDULE_LABEL];
  return key?.startsWith(`${metadata.namespace}/`) ? key : undefined;
}

/** Whether a schedule has made a backup: it, and not an earlier one of its name or one of another namespace. */
export const isMadeBy = (schedule: Schedule, backup: HarvesterBackup): boolean =>
  scheduleKeyOf(backup) === keyOf(schedule) && backup.metadata.labels?.[SCHEDULE_LABEL] === schedule.metadata.uid;

/** Whether a schedule does not say yet that the API server has refused something, or says something else of it. */
export const isNews = (schedule: Schedule, type: string, problem: string): boolean =>
  conditionOf(schedule, type)?.message !== problem;

export function scheduleStatus(
  { schedule, backups, nowMs }: ScheduleState,
  { failures, suspendedBecause }: ScheduleDecision,
  { refused, notRemoved }: ScheduleProblems,
): ScheduleVmBackupStatus {
  const condition = (type: string, message: string | undefined) => ({
    type,
    status: message === undefined ? 'False' : 'True',
    message: message ?? '',
  });
  return {
    failure: failures,
    suspended: suspendedBecause !== undefined,
    vmbackupInfo: backups.toSorted(byAge).map(({ metadata, status }) => ({
      name: metadata.name,
      readyToUse: status?.readyToUse ?? false,
      ...(status?.error && { error: status.error }),
    })),
    conditions: harvesterConditions(
      schedule.status?.conditions,
      [condition('BackupSuspend', suspendedBecause), condition(REFUSED, refused), condition(NOT_REMOVED, notRemoved)],
      new Date(nowMs),
    ),
  };
}
