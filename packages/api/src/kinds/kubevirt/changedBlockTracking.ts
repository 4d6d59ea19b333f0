import { boolean, type Infer, list, string, struct, time } from '../../schema.ts';
import { BackupVolumeInfo } from '../backup/backupParts.ts';
import { optional, required } from '../customResource.ts';

export const VirtualMachineInstanceBackupStatus = struct(
  'io.kubevirt.v1.VirtualMachineInstanceBackupStatus',
  'State of the backup that is running, or of the last one.',
  {
    backupMsg: optional(string, 'Human-readable details about the backup.'),
    backupName: optional(string, 'Name of the VirtualMachineBackup.'),
    checkpointName: optional(string, 'Name of the checkpoint that the backup created.'),
    completed: optional(boolean, 'Whether the backup has finished, successfully or not.'),
    endTimestamp: optional(time, 'Time at which the backup finished.'),
    failed: optional(boolean, 'Whether the backup has failed.'),
    quiesceStatus: optional(string, 'Whether filesystems were frozen: Succeeded, Failed or Skipped.'),
    startTimestamp: optional(time, 'Time at which the backup started.'),
    volumes: optional(list(BackupVolumeInfo, 'atomic'), 'The volumes that the backup contains.'),
  },
);
export interface VirtualMachineInstanceBackupStatus extends Infer<typeof VirtualMachineInstanceBackupStatus> {}

export const ChangedBlockTrackingStatus = struct(
  'io.kubevirt.v1.ChangedBlockTrackingStatus',
  'State of changed block tracking, which incremental backups need.',
  {
    backupStatus: optional(VirtualMachineInstanceBackupStatus, 'State of the current or last backup.'),
    state: required(
      string,
      'Undefined, PendingRestart, Initializing, Enabled or Disabled, or FGDisabled where the feature is off.',
    ),
  },
);
export interface ChangedBlockTrackingStatus extends Infer<typeof ChangedBlockTrackingStatus> {}
