import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, oneOf, refine, string, struct } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { sourceColumns } from '../customColumns.ts';
import { duration, optional, required } from '../customResource.ts';
import { Condition } from '../meta/condition.ts';
import { BackupVolumeInfo } from './backupParts.ts';

const sourceRules = [
  { rule: 'has(self.apiGroup)', message: 'apiGroup is required' },
  {
    rule: "!has(self.apiGroup) || self.apiGroup == 'kubevirt.io' || self.apiGroup == 'backup.kubevirt.io'",
    message: 'apiGroup must be kubevirt.io or backup.kubevirt.io',
  },
  {
    rule: "!has(self.apiGroup) || (self.apiGroup == 'kubevirt.io' && self.kind == 'VirtualMachine') || (self.apiGroup == 'backup.kubevirt.io' && self.kind == 'VirtualMachineBackupTracker')",
    message: 'kind must be VirtualMachine for kubevirt.io or VirtualMachineBackupTracker for backup.kubevirt.io',
  },
  { rule: "self.name != ''", message: 'name is required' },
];

const specRules = [
  { rule: 'self == oldSelf', message: 'spec is immutable after creation' },
  { rule: 'has(self.pvcName) && self.pvcName != ""', message: 'pvcName is required' },
  {
    rule: '!has(self.mode) || self.mode != \'Pull\' || (has(self.tokenSecretRef) && self.tokenSecretRef != "")',
    message: 'tokenSecretRef is required when mode is Pull',
  },
];

export const VirtualMachineBackupSpec = struct(
  'io.kubevirt.backup.v1alpha1.VirtualMachineBackupSpec',
  'What to back up, and where the backup is written.',
  {
    forceFullBackup: optional(boolean, 'Whether everything is copied, although only changes could be.'),
    mode: optional(
      oneOf('Push', 'Pull'),
      'Mode of the backup: Push writes it to a claim, Pull offers it for download. Defaults to Push.',
    ),
    pvcName: optional(string, 'The claim that it is written to.'),
    skipQuiesce: optional(boolean, "Whether to skip freezing the guest's filesystems."),
    source: required(
      refine(TypedLocalObjectReference, { validations: sourceRules }),
      'The VirtualMachine, or a VirtualMachineBackupTracker for an incremental backup.',
    ),
    tokenSecretRef: optional(string, 'Secret whose key token holds the password, for Pull.'),
    ttlDuration: optional(duration, 'Time for which a backup in mode Pull can be downloaded.'),
  },
  { validations: specRules },
);
export interface VirtualMachineBackupSpec extends Infer<typeof VirtualMachineBackupSpec> {}

export const VirtualMachineBackupStatus = struct(
  'io.kubevirt.backup.v1alpha1.VirtualMachineBackupStatus',
  'Progress and result of a VirtualMachineBackup.',
  {
    checkpointName: optional(string, 'Name of the checkpoint that the backup created.'),
    conditions: optional(list(Condition, ['type']), 'Conditions of the backup.'),
    endpointCert: optional(string, 'Certificate of the server, in PEM, for Pull.'),
    exportUID: optional(string, 'UID of the export that offers it, for Pull.'),
    includedVolumes: optional(list(BackupVolumeInfo, 'atomic'), 'The volumes that the backup contains.'),
    type: optional(string, 'Type of the backup: Full or Incremental.'),
  },
);
export interface VirtualMachineBackupStatus extends Infer<typeof VirtualMachineBackupStatus> {}

export const VirtualMachineBackupSchema = struct(
  'io.kubevirt.backup.v1alpha1.VirtualMachineBackup',
  'Backs up the disks of a running virtual machine.',
  {
    ...objectFields,
    spec: required(VirtualMachineBackupSpec, 'Desired state of the VirtualMachineBackup.'),
    status: optional(VirtualMachineBackupStatus, 'Observed state of the VirtualMachineBackup. The system writes it.'),
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
    { name: 'Type', type: 'string', jsonPath: '.status.type', description: 'Type of the backup: Full or Incremental.' },
    {
      name: 'CheckpointName',
      type: 'string',
      jsonPath: '.status.checkpointName',
      description: 'Name of the checkpoint that the backup created.',
    },
  ],
});
