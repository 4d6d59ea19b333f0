import { boolean, type Infer, list, string, struct, time } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const BackupVolumeInfo = struct('io.kubevirt.backup.v1alpha1.BackupVolumeInfo', 'A volume of a backup.', {
  dataEndpoint: optional(string, 'Where its data can be had.'),
  diskTarget: required(string, 'Name of its device in the guest.'),
  mapEndpoint: optional(string, 'Where the map of changed blocks can be had.'),
  volumeName: required(string, 'Name of the volume in the machine.'),
});
export interface BackupVolumeInfo extends Infer<typeof BackupVolumeInfo> {}

export const BackupCheckpoint = struct(
  'io.kubevirt.backup.v1alpha1.BackupCheckpoint',
  'The moment of a backup, which the next one can start from.',
  {
    creationTime: optional(time, 'When it was made.'),
    name: optional(string, 'Its name.'),
    volumes: optional(list(BackupVolumeInfo, 'atomic'), 'The volumes in it.'),
  },
);
export interface BackupCheckpoint extends Infer<typeof BackupCheckpoint> {}

export const BackupOptions = struct(
  'io.kubevirt.backup.v1alpha1.BackupOptions',
  'How to back up a running machine: the body of backup.',
  {
    backupCert: optional(string, 'Certificate of the server, in PEM.'),
    backupKey: optional(string, 'Key of the server, in PEM.'),
    backupName: optional(string, 'Name of the backup.'),
    backupStartTime: optional(time, 'When it began.'),
    caCert: optional(string, "Authority of the client's certificate, in PEM."),
    cmd: optional(string, 'Start, Abort or Export.'),
    exportServerAddr: optional(string, 'Where the export server is reached.'),
    exportServerName: optional(string, 'Name of the export server.'),
    incremental: optional(string, 'Checkpoint to start from.'),
    mode: optional(string, 'Push or Pull.'),
    skipQuiesce: optional(boolean, 'Whether filesystems are not frozen.'),
    targetPath: optional(string, 'Where it is written to.'),
  },
);
export interface BackupOptions extends Infer<typeof BackupOptions> {}
