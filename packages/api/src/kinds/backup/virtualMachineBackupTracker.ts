import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, struct } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { sourceColumns } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { BackupCheckpoint } from './backupParts.ts';

export const VirtualMachineBackupTrackerSpec = struct(
  'io.kubevirt.backup.v1alpha1.VirtualMachineBackupTrackerSpec',
  'Whose backups are tracked.',
  {
    source: required(TypedLocalObjectReference, 'The machine.'),
  },
);
export interface VirtualMachineBackupTrackerSpec extends Infer<typeof VirtualMachineBackupTrackerSpec> {}

export const VirtualMachineBackupTrackerStatus = struct(
  'io.kubevirt.backup.v1alpha1.VirtualMachineBackupTrackerStatus',
  'How far backups have come.',
  {
    checkpointRedefinitionRequired: optional(boolean, 'Whether the hypervisor must be told of the checkpoint again.'),
    latestCheckpoint: optional(BackupCheckpoint, 'The checkpoint of the latest backup.'),
  },
);
export interface VirtualMachineBackupTrackerStatus extends Infer<typeof VirtualMachineBackupTrackerStatus> {}

export const VirtualMachineBackupTrackerSchema = struct(
  'io.kubevirt.backup.v1alpha1.VirtualMachineBackupTracker',
  'Remembers the latest backup of a machine, so that the next one copies only what changed.',
  {
    ...objectFields,
    spec: required(VirtualMachineBackupTrackerSpec, 'What is wanted.'),
    status: optional(VirtualMachineBackupTrackerStatus, 'What was last observed. Written by the system.'),
  },
);
export interface VirtualMachineBackupTracker extends Infer<typeof VirtualMachineBackupTrackerSchema> {}

export const VirtualMachineBackupTracker = defineKind<VirtualMachineBackupTracker>({
  group: 'backup.kubevirt.io',
  version: 'v1alpha1',
  kind: 'VirtualMachineBackupTracker',
  plural: 'virtualmachinebackuptrackers',
  namespaced: true,
  shortNames: ['vmbackuptracker', 'vmbackuptrackers'],
  categories: ['all'],
  schema: VirtualMachineBackupTrackerSchema,
  columns: [
    ...sourceColumns,
    {
      name: 'LatestCheckpoint',
      type: 'string',
      jsonPath: '.status.latestCheckpoint.name',
      description: 'The checkpoint of the latest backup.',
    },
    {
      name: 'CheckpointTime',
      type: 'date',
      jsonPath: '.status.latestCheckpoint.creationTime',
      description: 'When that was made.',
    },
  ],
});
