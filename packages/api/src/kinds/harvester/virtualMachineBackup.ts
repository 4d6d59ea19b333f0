import { isConditionTrue } from '../../conditions.ts';
import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { anyObject, boolean, type Infer, int64, list, map, oneOf, string, struct, time } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { ageDate } from '../customColumns.ts';
import { duration, int, optional, required, templateMetadata } from '../customResource.ts';
import { VirtualMachineSpec } from '../kubevirt/virtualMachineSpec.ts';
import { SnapshotPersistentVolumeClaim } from '../snapshot/virtualMachineSnapshotContent.ts';
import { HarvesterCondition } from './harvesterParts.ts';
import { HARVESTER_GROUP } from './names.ts';

export const BackupError = struct('io.harvesterhci.v1beta1.Error', 'The last error that occurred.', {
  message: optional(string, 'Human-readable description of the error.'),
  time: optional(time, 'Time at which the error occurred.'),
});
export interface BackupError extends Infer<typeof BackupError> {}

export const BackupTargetStatus = struct('io.harvesterhci.v1beta1.BackupTarget', 'Where a backup is stored.', {
  bucketName: optional(string, 'Name of the bucket, of S3.'),
  bucketRegion: optional(string, 'Region of the bucket, of S3.'),
  endpoint: optional(string, 'Address of the target.'),
});
export interface BackupTargetStatus extends Infer<typeof BackupTargetStatus> {}

export const BackupSource = struct(
  'io.harvesterhci.v1beta1.VirtualMachineBackupSource',
  'The VirtualMachine as it was when it was backed up.',
  {
    metadata: optional(templateMetadata, 'Metadata of the VirtualMachine at that time.'),
    spec: optional(VirtualMachineSpec, 'Spec of the VirtualMachine at that time.'),
  },
);
export interface BackupSource extends Infer<typeof BackupSource> {}

export const HarvesterVolumeBackup = struct('io.harvesterhci.v1beta1.VolumeBackup', 'One volume of a backup.', {
  creationTime: optional(time, 'Point in time that the data is of.'),
  csiDriverName: optional(string, 'Driver that took the snapshot of the volume.'),
  error: optional(BackupError, 'The last error that occurred.'),
  longhornBackupName: optional(string, 'Not used: Vireo stores volumes by itself.'),
  name: optional(string, 'Name of the VolumeSnapshot that the data comes from.'),
  persistentVolumeClaim: optional(SnapshotPersistentVolumeClaim, 'The claim as it was when it was backed up.'),
  progress: optional(int, 'Percent of the volume that is stored.'),
  readyToUse: optional(boolean, 'Whether the volume can be restored.'),
  volumeName: optional(string, 'Name of the volume in the VM.'),
  volumeSize: optional(int64, 'Size of the volume in bytes.'),
});
export interface HarvesterVolumeBackup extends Infer<typeof HarvesterVolumeBackup> {}

export const SecretBackup = struct('io.harvesterhci.v1beta1.SecretBackup', 'A Secret that the VM names.', {
  data: optional(anyObject, 'Always empty: the data is stored on the backup target only.'),
  name: optional(string, 'Name of the Secret.'),
});
export interface SecretBackup extends Infer<typeof SecretBackup> {}

export const HarvesterBackupSpec = struct(
  'io.harvesterhci.v1beta1.VirtualMachineBackupSpec',
  'What is backed up, and how. It never changes.',
  {
    fsFreezeDeadline: optional(
      duration,
      'How long the snapshot may take, and the file systems of the guest be frozen.',
    ),
    source: required(TypedLocalObjectReference, 'The VirtualMachine to back up.'),
    type: optional(oneOf('backup', 'snapshot'), {
      default: 'backup',
      doc: 'Whether the data is copied to the backup target (backup) or kept on the storage of the volumes (snapshot).',
    }),
  },
);
export interface HarvesterBackupSpec extends Infer<typeof HarvesterBackupSpec> {}

export const HarvesterBackupStatus = struct(
  'io.harvesterhci.v1beta1.VirtualMachineBackupStatus',
  'State and contents of a VirtualMachineBackup.',
  {
    backupTarget: optional(BackupTargetStatus, 'Where the backup is stored.'),
    conditions: optional(list(HarvesterCondition, 'atomic'), 'Conditions: Ready, InProgress and MetadataReady.'),
    creationTime: optional(time, 'Point in time that the data is of.'),
    csiDriverVolumeSnapshotClassNames: optional(map(string), 'VolumeSnapshotClasses that were used, by driver.'),
    error: optional(BackupError, 'The last error that occurred.'),
    progress: optional(int, 'Percent of the data that is stored.'),
    readyToUse: optional(boolean, 'Whether the backup can be restored.'),
    secretBackups: optional(list(SecretBackup, 'atomic'), 'The Secrets that the backup contains.'),
    source: optional(BackupSource, 'The VirtualMachine as it was when it was backed up.'),
    sourceUID: optional(string, 'UID of the VirtualMachine.'),
    volumeBackups: optional(list(HarvesterVolumeBackup, 'atomic'), 'The volumes that the backup contains.'),
  },
);
export interface HarvesterBackupStatus extends Infer<typeof HarvesterBackupStatus> {}

export const HarvesterBackupSchema = struct(
  'io.harvesterhci.v1beta1.VirtualMachineBackup',
  'A backup of a VM with the data of its disks, on the backup target or as a snapshot.',
  {
    ...objectFields,
    spec: required(HarvesterBackupSpec, 'Desired state of the VirtualMachineBackup.'),
    status: optional(HarvesterBackupStatus, 'Observed state of the VirtualMachineBackup. The system writes it.'),
  },
);
export interface HarvesterBackup extends Infer<typeof HarvesterBackupSchema> {}

/** Harvester's VirtualMachineBackup, which is not the one of KubeVirt. */
export const HarvesterBackup = defineKind<HarvesterBackup>({
  group: HARVESTER_GROUP,
  version: 'v1beta1',
  kind: 'VirtualMachineBackup',
  plural: 'virtualmachinebackups',
  namespaced: true,
  // Harvester's short names, vmbackup and vmrestore, are those of KubeVirt's kinds, which come first here.
  schema: HarvesterBackupSchema,
  columns: [
    { name: 'Source_Kind', type: 'string', jsonPath: '.spec.source.kind', description: 'Kind of the source.' },
    { name: 'Source_Name', type: 'string', jsonPath: '.spec.source.name', description: 'Name of the source.' },
    { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'Where the data is: backup or snapshot.' },
    {
      name: 'Ready_To_Use',
      type: 'boolean',
      jsonPath: '.status.readyToUse',
      description: 'Whether it can be restored.',
    },
    ageDate,
    {
      name: 'Error',
      type: 'string',
      jsonPath: '.status.error.message',
      description: 'The last error that occurred.',
    },
  ],
});

/** On backups that were found at the target: nobody is to make them anew. */
export const FOUND_BACKUP = 'vireo.io/found-on-backup-target';

/** Whether the data goes to the backup target. */
export const isOnTarget = ({ spec }: HarvesterBackup): boolean => spec.type !== 'snapshot';

export const isBackupReady = ({ status }: HarvesterBackup): boolean => status?.readyToUse === true;

/** Whether a backup has ended without being one. */
export const hasBackupFailed = ({ status }: HarvesterBackup): boolean =>
  status?.error !== undefined && status.readyToUse !== true;

/** Whether work on a backup or a restore of Harvester's goes on. */
export const isInProgress = (object: Parameters<typeof isConditionTrue>[0]): boolean =>
  isConditionTrue(object, 'InProgress');
