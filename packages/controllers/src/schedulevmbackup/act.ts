import { ScheduleVmBackup, type ScheduleVmBackupStatus } from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { type Client, type CreateOrGetResult, ignoreNotFoundOrConflict } from '@vireo/kube';
import { type Backup, backupAt, LAST_TIME, type Schedule } from './decide.ts';

/** Everything that the controller of schedules of backups does to objects. Each is safe to be done again. */
export interface ScheduleActions {
  /** The backup of that time: a new one, or whatever has its name. */
  createBackup(schedule: Schedule, timeMs: number): Promise<CreateOrGetResult<Backup>>;
  /** Notes that a backup was made. Returns the schedule as it is then. */
  noteTime(schedule: Schedule, nowMs: number): Promise<Schedule>;
  removeBackup(backup: Backup): Promise<void>;
  writeStatus(schedule: Schedule, status: ScheduleVmBackupStatus): Promise<void>;
}

export function scheduleActions(client: Client): ScheduleActions {
  const schedules = client.of(ScheduleVmBackup);
  const backups = client.of(HarvesterBackup);
  return {
    createBackup: (schedule, timeMs) => backups.createOrGet(backupAt(schedule, timeMs)),
    noteTime: (schedule, nowMs) =>
      schedules.patchExactly(schedule, { metadata: { annotations: { [LAST_TIME]: new Date(nowMs).toISOString() } } }),
    async removeBackup(backup) {
      await backups.deleteExactly(backup).catch(ignoreNotFoundOrConflict);
    },
    async writeStatus(schedule, status) {
      await schedules.writeStatus(schedule, status);
    },
  };
}
