import type { ControllerContext } from '@vireo/kube';
import { CurrentTarget } from './backuptarget/currentTarget.ts';
import { startBackupTargetController } from './backuptarget/index.ts';
import { startBackupScheduleController } from './schedulevmbackup/index.ts';
import { startBackupController } from './vmbackup/index.ts';
import { startBackupRestoreController } from './vmbackuprestore/index.ts';

/** Only root mounts, and nobody else can make anything there. */
const DEFAULT_RUNTIME_DIRECTORY = '/run/vireo-controllers';

/** Starts the controllers around backups of Harvester's API, which share the target that they found usable. */
export function startBackups(
  context: ControllerContext,
  runtimeDirectory: string | undefined,
  signal: AbortSignal,
): Promise<void>[] {
  const shared = {
    ...context,
    current: new CurrentTarget(),
    runtimeDirectory: runtimeDirectory ?? DEFAULT_RUNTIME_DIRECTORY,
  };
  return [
    startBackupTargetController(shared, signal),
    startBackupController(shared, signal),
    startBackupRestoreController(shared, signal),
    startBackupScheduleController(context, signal),
  ];
}
