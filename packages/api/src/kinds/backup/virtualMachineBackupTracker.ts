import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, refine, struct } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { sourceColumns } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { BackupCheckpoint } from './backupParts.ts';

const sourceRules = [
  { rule: "has(self.apiGroup) && self.apiGroup == 'kubevirt.io'", message: 'apiGroup must be kubevirt.io' },
  { rule: "self.kind == 'VirtualMachine'", message: 'kind must be VirtualMachine' },
  { rule: "self.name != ''", message: 'name is required' },
];

export const VirtualMachineBackupTrackerSpec = struct(
  'io.kubevirt.backup.v1alpha1.VirtualMachineBackupTrackerSpec',
  'The VirtualMachine whose backups are tracked.',
  {
    source: required(
      refine(TypedLocalObjectReference, { validations: sourceRules }),
      'The VirtualMachine, in the same namespace.',
    ),
  },
  { validations: [{ rule: 'self == oldSelf', message: 'spec is immutable after creation' }] },
);
export interface VirtualMachineBackupTrackerSpec extends Infer<typeof VirtualMachineBackupTrackerSpec> {}

export const VirtualMachineBackupTrackerStatus = struct(
  'io.kubevirt.backup.v1alpha1.VirtualMachineBackupTrackerStatus',
  'The latest backup of the VirtualMachine.',
  {
    checkpointRedefinitionRequired: optional(
      boolean,
      'Whether the checkpoint must be defined again in the hypervisor.',
    ),
    latestCheckpoint: optional(BackupCheckpoint, 'Checkpoint of the latest backup.'),
  },
);
export interface VirtualMachineBackupTrackerStatus extends Infer<typeof VirtualMachineBackupTrackerStatus> {}

export const VirtualMachineBackupTrackerSchema = struct(
  'io.kubevirt.backup.v1alpha1.VirtualMachineBackupTracker',
  'Tracks the latest backup of a VirtualMachine, so that the next backup can be incremental.',
  {
    ...objectFields,
    spec: required(VirtualMachineBackupTrackerSpec, 'Desired state of the VirtualMachineBackupTracker.'),
    status: optional(
      VirtualMachineBackupTrackerStatus,
      'Observed state of the VirtualMachineBackupTracker. The system writes it.',
    ),
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
      description: 'Name of the checkpoint of the latest backup.',
    },
    {
      name: 'CheckpointTime',
      type: 'date',
      jsonPath: '.status.latestCheckpoint.creationTime',
      description: 'Time at which the latest checkpoint was created.',
    },
  ],
});
