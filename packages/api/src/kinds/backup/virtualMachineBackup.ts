import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, oneOf, string, struct } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { sourceColumns } from '../customColumns.ts';
import { duration, optional, required } from '../customResource.ts';
import { Condition } from '../meta/condition.ts';
import { BackupVolumeInfo } from './backupParts.ts';

export const VirtualMachineBackupSpec = struct(
  'io.kubevirt.backup.v1alpha1.VirtualMachineBackupSpec',
  'What is to be backed up, and where to.',
  {
    forceFullBackup: optional(boolean, 'Whether everything is copied, although only changes could be.'),
    mode: optional(oneOf('Push', 'Pull'), 'Push to a claim, or offer it for Pull. Push when missing.'),
    pvcName: optional(string, 'The claim that it is written to.'),
    skipQuiesce: optional(boolean, 'Whether filesystems are not frozen.'),
    source: required(TypedLocalObjectReference, 'The machine, or a tracker to copy only what changed.'),
    tokenSecretRef: optional(string, 'Secret whose key token holds the password, for Pull.'),
    ttlDuration: optional(duration, 'How long it is offered, for Pull.'),
  },
);
export interface VirtualMachineBackupSpec extends Infer<typeof VirtualMachineBackupSpec> {}

export const VirtualMachineBackupStatus = struct(
  'io.kubevirt.backup.v1alpha1.VirtualMachineBackupStatus',
  'How a backup is going.',
  {
    checkpointName: optional(string, 'The checkpoint that it made.'),
    conditions: optional(list(Condition, ['type']), 'Observations about the backup, one a type.'),
    endpointCert: optional(string, 'Certificate of the server, in PEM, for Pull.'),
    exportUID: optional(string, 'UID of the export that offers it, for Pull.'),
    includedVolumes: optional(list(BackupVolumeInfo, 'atomic'), 'The volumes in it.'),
    type: optional(string, 'Full or Incremental.'),
  },
);
export interface VirtualMachineBackupStatus extends Infer<typeof VirtualMachineBackupStatus> {}

export const VirtualMachineBackupSchema = struct(
  'io.kubevirt.backup.v1alpha1.VirtualMachineBackup',
  'Copies the disks of a running machine.',
  {
    ...objectFields,
    spec: required(VirtualMachineBackupSpec, 'What is wanted.'),
    status: optional(VirtualMachineBackupStatus, 'What was last observed. Written by the system.'),
  },
);
export interface VirtualMachineBackup extends Infer<typeof VirtualMachineBackupSchema> {}

export const VirtualMachineBackup = defineKind<VirtualMachineBackup>({
  group: 'backup.kubevirt.io',
  version: 'v1alpha1',
  kind: 'VirtualMachineBackup',
  plural: 'virtualmachinebackups',
  namespaced: true,
  shortNames: ['vmbackup', 'vmbackups'],
  categories: ['all'],
  schema: VirtualMachineBackupSchema,
  columns: [
    ...sourceColumns,
    { name: 'Type', type: 'string', jsonPath: '.status.type', description: 'Full or Incremental.' },
    {
      name: 'CheckpointName',
      type: 'string',
      jsonPath: '.status.checkpointName',
      description: 'The checkpoint that it made.',
    },
  ],
});
