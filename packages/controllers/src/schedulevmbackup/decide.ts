import { isDeleting, type Persisted } from '@vireo/api';
import { nextTime } from '@vireo/api/cron.ts';
import type { ScheduleVmBackup, ScheduleVmBackupStatus } from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { type HarvesterBackup, isBackupReady } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { harvesterConditions } from '../harvester/conditions.ts';
import { failureOf } from '../vmbackup/status.ts';

export type Schedule = Persisted<ScheduleVmBackup>;
type Backup = Persisted<HarvesterBackup>;

const DEFAULT_RETAIN = 8;
const DEFAULT_MAX_FAILURE = 4;

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

const createdMs = ({ metadata }: Persisted): number => Date.parse(metadata.creationTimestamp);

/** What a schedule has to do, from the backups that it has made. `lastMs`: the last time that it made one for. */
export function decideSchedule(
  schedule: Schedule,
  backups: readonly Backup[],
  lastMs: number,
  nowMs: number,
): ScheduleDecision {
  const { cron, suspend, retain = DEFAULT_RETAIN, maxFailure = DEFAULT_MAX_FAILURE } = schedule.spec;
  const own = backups.filter((each) => !isDeleting(each)).toSorted((a, b) => createdMs(a) - createdMs(b));
  const whole = own.filter(isBackupReady);
  const lastWholeMs = whole.length > 0 ? createdMs(whole.at(-1)!) : 0;
  const failed = own.filter((each) => failureOf(each) !== undefined);
  const failures = failed.filter((each) => createdMs(each) >= lastWholeMs).length;
  // One that failed before another went well tells nobody anything any more.
  const outdated = failed.filter((each) => createdMs(each) < lastWholeMs);
  const remove = [...whole.slice(0, Math.max(0, whole.length - retain)), ...outdated];
  const why = suspend ? 'spec.suspend is true' : undefined;
  const given = failures >= maxFailure ? `the last ${failures} backups failed; delete them to go on` : undefined;
  const suspendedBecause = why ?? given;
  if (suspendedBecause !== undefined) return { remove, failures, suspendedBecause };
  const next = nextTime(cron, new Date(lastMs))?.getTime();
  if (next === undefined) return { remove, failures };
  if (next > nowMs) return { remove, failures, nextMs: next };
  // What was missed is made up for once, and one at a time.
  const isBusy = own.some((each) => !isBackupReady(each) && failureOf(each) === undefined);
  const after = nextTime(cron, new Date(nowMs))?.getTime();
  return { remove, failures, ...(!isBusy && { dueMs: next }), ...(after !== undefined && { nextMs: after }) };
}

export function scheduleStatus(
  schedule: Schedule,
  backups: readonly Backup[],
  { failures, suspendedBecause }: ScheduleDecision,
  now: Date,
): ScheduleVmBackupStatus {
  const isSuspended = suspendedBecause !== undefined;
  return {
    failure: failures,
    suspended: isSuspended,
    vmbackupInfo: backups
      .toSorted((a, b) => createdMs(a) - createdMs(b))
      .map(({ metadata, status }) => ({
        name: metadata.name,
        readyToUse: status?.readyToUse ?? false,
        ...(status?.error && { error: status.error }),
      })),
    conditions: harvesterConditions(
      schedule.status?.conditions,
      [{ type: 'BackupSuspend', status: isSuspended ? 'True' : 'False', message: suspendedBecause ?? '' }],
      now,
    ),
  };
}
