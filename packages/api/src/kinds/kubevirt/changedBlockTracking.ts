import { boolean, type Infer, list, string, struct, time } from '../../schema.ts';
import { BackupVolumeInfo } from '../backup/backupParts.ts';
import { optional, required } from '../customResource.ts';

export const VirtualMachineInstanceBackupStatus = struct(
  'io.kubevirt.v1.VirtualMachineInstanceBackupStatus',
  'How the current or last backup is going.',
  {
    backupMsg: optional(string, 'Details, for people.'),
    backupName: optional(string, 'Name of the backup.'),
    checkpointName: optional(string, 'The checkpoint that it made.'),
    completed: optional(boolean, 'Whether it has ended.'),
    endTimestamp: optional(time, 'When it ended.'),
    failed: optional(boolean, 'Whether it has failed.'),
    quiesceStatus: optional(string, 'Whether filesystems were frozen: Succeeded, Failed or Skipped.'),
    startTimestamp: optional(time, 'When it began.'),
    volumes: optional(list(BackupVolumeInfo, 'atomic'), 'The volumes in it.'),
  },
);
export interface VirtualMachineInstanceBackupStatus extends Infer<typeof VirtualMachineInstanceBackupStatus> {}

export const ChangedBlockTrackingStatus = struct(
  'io.kubevirt.v1.ChangedBlockTrackingStatus',
  'Whether changed blocks are tracked.',
  {
    backupStatus: optional(VirtualMachineInstanceBackupStatus, 'How the current or last backup is going.'),
    state: required(
      string,
      'Undefined, PendingRestart, Initializing, Enabled or Disabled, or FGDisabled where the feature is off.',
    ),
  },
);
export interface ChangedBlockTrackingStatus extends Infer<typeof ChangedBlockTrackingStatus> {}
