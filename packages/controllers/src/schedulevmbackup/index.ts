import { isDeleting } from '@vireo/api';
import { ScheduleVmBackup } from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { backupKeyOf, HarvesterRestore, needsBackup } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { scheduleActions } from './act.ts';
import { isMadeBy, scheduleKeyOf } from './decide.ts';
import { reconcileSchedule } from './reconcile.ts';

/** Makes backups at the times that schedules name, and removes those that are too many. They outlive their schedule. */
export async function startBackupScheduleController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const schedules = informers.for(ScheduleVmBackup);
  const backups = informers.for(HarvesterBackup, { indexes: { schedule: (each) => [scheduleKeyOf(each) ?? ''] } });
  const restores = informers.for(HarvesterRestore, { indexes: { backup: (each) => [backupKeyOf(each)] } });
  const parts = { act: scheduleActions(client), recorder };
  /** The schedule of the backup that a restore is of. */
  const scheduleOf = (restore: HarvesterRestore): string | undefined => {
    const backup = backups.get(backupKeyOf(restore));
    return backup && scheduleKeyOf(backup);
  };

  const reconcile = async (key: string) => {
    const schedule = schedules.get(key);
    if (!schedule || isDeleting(schedule)) return undefined;
    return reconcileSchedule(
      {
        schedule,
        backups: backups.byIndex('schedule', key).filter((each) => isMadeBy(schedule, each)),
        isInUse: (backup) => restores.byIndex('backup', keyOf(backup)).some(needsBackup),
        nowMs: clock.now(),
      },
      parts,
    );
  };
  await runController(
    {
      name: 'schedulevmbackup',
      for: schedules,
      watches: [
        watch(backups, scheduleKeyOf),
        // What a restore has kept may go when it has ended.
        watch(restores, {
          changed: (restore) => (needsBackup(restore) ? undefined : scheduleOf(restore)),
          deleted: scheduleOf,
        }),
      ],
      reconcile,
    },
    context,
    signal,
  );
}
