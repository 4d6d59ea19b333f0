import { boolean, type Infer, list, string, struct, time } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const BackupVolumeInfo = struct('io.kubevirt.backup.v1alpha1.BackupVolumeInfo', 'A volume of a backup.', {
  dataEndpoint: optional(string, 'URL at which the data of the volume can be read.'),
  diskTarget: required(string, 'Name of its device in the guest.'),
  mapEndpoint: optional(string, 'URL of the map of changed blocks.'),
  volumeName: required(string, 'Name of the volume in the VM.'),
});
export interface BackupVolumeInfo extends Infer<typeof BackupVolumeInfo> {}

export const BackupCheckpoint = struct(
  'io.kubevirt.backup.v1alpha1.BackupCheckpoint',
  'Point in time of a backup, from which the next incremental backup starts.',
  {
    creationTime: optional(time, 'Time at which the checkpoint was created.'),
    name: optional(string, 'Name of the checkpoint.'),
    volumes: optional(list(BackupVolumeInfo, 'atomic'), 'The volumes that the checkpoint contains.'),
  },
);
export interface BackupCheckpoint extends Infer<typeof BackupCheckpoint> {}

export const BackupOptions = struct('io.kubevirt.backup.v1alpha1.BackupOptions', 'Options of the backup subresource.', {
  backupCert: optional(string, 'Certificate of the export server, in PEM.'),
  backupKey: optional(string, 'Private key of the export server, in PEM.'),
  backupName: optional(string, 'Name of the VirtualMachineBackup.'),
  backupStartTime: optional(time, 'Time at which the backup started.'),
  caCert: optional(string, "Authority of the client's certificate, in PEM."),
  cmd: optional(string, 'Command to run: Start, Abort or Export.'),
  exportServerAddr: optional(string, 'Address of the export server.'),
  exportServerName: optional(string, 'Name of the export server, as in its certificate.'),
  incremental: optional(string, 'Name of the checkpoint to start from. If empty, the backup is full.'),
  mode: optional(string, 'Whether the backup is written to a claim (Push) or offered for download (Pull).'),
  skipQuiesce: optional(boolean, "Whether to skip freezing the guest's filesystems."),
  targetPath: optional(string, 'Path that the backup is written to.'),
});
export interface BackupOptions extends Infer<typeof BackupOptions> {}
