import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControllerContext } from '@vireo/kube';
import { CurrentTarget } from './backuptarget/currentTarget.ts';
import { startBackupTargetController } from './backuptarget/index.ts';
import { startBackupScheduleController } from './schedulevmbackup/index.ts';
import { startBackupController } from './vmbackup/index.ts';
import { startBackupRestoreController } from './vmbackuprestore/index.ts';

/** Starts the controllers around backups of Harvester's API, which share the target that they found usable. */
export function startBackups(
  context: ControllerContext,
  runtimeDirectory: string | undefined,
  signal: AbortSignal,
): Promise<void>[] {
  const shared = {
    ...context,
    current: new CurrentTarget(),
    runtimeDirectory: runtimeDirectory ?? join(tmpdir(), `vireo-backup-${process.getuid?.() ?? 0}`),
  };
  return [
    startBackupTargetController(shared, signal),
    startBackupController(shared, signal),
    startBackupRestoreController(shared, signal),
    startBackupScheduleController(context, signal),
  ];
}
