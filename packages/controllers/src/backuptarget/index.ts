import { Namespace, Pod } from '@vireo/api';
import { BACKUP_WORK_SELECTOR } from '@vireo/api/kinds/harvester/backupWork.ts';
import { BACKUP_TARGET_SETTING, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { type ControllerContext, runController, systemClock, watch } from '@vireo/kube';
import { backupTargetActions } from './act.ts';
import type { CurrentTarget } from './currentTarget.ts';
import { isNew, type OpenedTarget, reconcileTarget, type TargetParts } from './reconcile.ts';

export interface BackupTargetContext extends ControllerContext {
  readonly current: CurrentTarget;
  /** Where file systems of targets are mounted. */
  readonly runtimeDirectory: string;
}

/** Keeps the target of backups open that the Setting names, and makes known the backups that are found in it. */
export async function startBackupTargetController(context: BackupTargetContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, current, runtimeDirectory, clock = systemClock } = context;
  const settings = informers.for(Setting);
  const backups = informers.for(HarvesterBackup);
  const namespaces = informers.for(Namespace);
  const workers = informers.for(Pod, { labelSelector: BACKUP_WORK_SELECTOR });
  const act = backupTargetActions(client);
  const opened: OpenedTarget = {};
  const parts: TargetParts = {
    act,
    current,
    recorder,
    runtimeDirectory,
    backups: () => backups.list(),
    workers: () => workers.list(),
    namespace: (name) => namespaces.get(name),
    now: () => new Date(clock.now()),
    opened,
  };
  await runController(
    {
      name: 'backuptarget',
      for: settings,
      reads: [backups, workers],
      watches: [
        watch(namespaces, (namespace) =>
          isNew(opened.namespaces?.get(namespace.metadata.name), namespace) ? BACKUP_TARGET_SETTING : undefined,
        ),
      ],
      initialKeys: () => [BACKUP_TARGET_SETTING],
      reconcile: async (key) => {
        // The others have no effect.
        if (key !== BACKUP_TARGET_SETTING) return undefined;
        const setting = settings.get(key);
        if (setting) return reconcileTarget(setting, parts);
        await current.forget('no backup target is set');
        await act.createSetting();
        return undefined;
      },
    },
    context,
    signal,
  );
  await current.forget(undefined);
}
