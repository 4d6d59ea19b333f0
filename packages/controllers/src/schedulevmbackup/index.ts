import { isDeleting } from '@vireo/api';
import { SCHEDULE_LABEL, ScheduleVmBackup } from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import {
  type ControllerContext,
  ignoreAlreadyExists,
  ignoreNotFoundOrConflict,
  runController,
  systemClock,
  watch,
} from '@vireo/kube';
import { decideSchedule, type Schedule, scheduleStatus } from './decide.ts';

/** On schedules: the last time that a backup was made for. */
const LAST_TIME = 'vireo.io/last-backup-time';
/** Clocks that are set and timers for days go wrong together: nobody sleeps for longer. */
const LONGEST_WAIT_MS = 3_600_000;

/** Makes backups at the times that schedules name, and removes those that are too many. They outlive their schedule. */
export async function startBackupScheduleController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const schedules = informers.for(ScheduleVmBackup);
  const backups = informers.for(HarvesterBackup, { indexes: { schedule: scheduleOf } });

  const reconcile = async (key: string) => {
    const schedule = schedules.get(key);
    if (!schedule || isDeleting(schedule)) return undefined;
    const nowMs = clock.now();
    const own = backups.byIndex('schedule', key);
    const decision = decideSchedule(schedule, own, lastTimeMs(schedule), nowMs);
    for (const each of decision.remove)
      await client.of(HarvesterBackup).deleteExactly(each).catch(ignoreNotFoundOrConflict);
    if (decision.dueMs !== undefined) {
      await client.of(HarvesterBackup).create(backupAt(schedule, decision.dueMs)).catch(ignoreAlreadyExists);
      const annotations = { [LAST_TIME]: new Date(nowMs).toISOString() };
      await client.of(ScheduleVmBackup).patchExactly(schedule, { metadata: { annotations } });
      recorder.event(schedule, 'Normal', 'BackupCreated', `Backing up VM ${schedule.spec.vmbackup.source.name}`);
      return undefined;
    }
    await client.of(ScheduleVmBackup).writeStatus(schedule, scheduleStatus(schedule, own, decision, new Date(nowMs)));
    const { nextMs } = decision;
    return nextMs === undefined
      ? undefined
      : { requeueAfterMs: Math.min(Math.max(nextMs - nowMs, 0), LONGEST_WAIT_MS) };
  };
  await runController(
    { name: 'schedulevmbackup', for: schedules, watches: [watch(backups, scheduleOf)], reconcile },
    context,
    signal,
  );
}

const lastTimeMs = ({ metadata }: Schedule): number =>
  Date.parse(metadata.annotations?.[LAST_TIME] ?? metadata.creationTimestamp);

/** A backup of a schedule: its name follows from the time, so that there is one. */
const backupAt = ({ metadata, spec }: Schedule, timeMs: number) => ({
  metadata: {
    name: `${metadata.name}-${new Date(timeMs)
      .toISOString()
      .replace(/[-:]|\.\d+Z$/g, '')
      .toLowerCase()}`,
    namespace: metadata.namespace,
    labels: { [SCHEDULE_LABEL]: metadata.uid },
    annotations: { [SCHEDULE_LABEL]: `${metadata.namespace}/${metadata.name}` },
  },
  spec: spec.vmbackup,
});

/** For indexes: the schedule that has made a backup. */
function scheduleOf({ metadata }: HarvesterBackup): string[] {
  const key = metadata.annotations?.[SCHEDULE_LABEL];
  return key === undefined ? [] : [key];
}
