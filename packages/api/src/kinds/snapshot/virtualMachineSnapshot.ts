import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, string, struct } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { creationTimeColumn, errorColumn, phaseColumn, readyToUseColumn, sourceColumns } from '../customColumns.ts';
import { duration, nullableTime, optional, required } from '../customResource.ts';
import { SnapshotCondition, SnapshotError } from './snapshotParts.ts';

export const SnapshotVolumesLists = struct(
  'io.kubevirt.snapshot.v1beta1.SnapshotVolumesLists',
  'Which volumes a snapshot has.',
  {
    excludedVolumes: optional(list(string, 'set'), 'Volumes that are not in it.'),
    includedVolumes: optional(list(string, 'set'), 'Volumes that are in it.'),
  },
);
export interface SnapshotVolumesLists extends Infer<typeof SnapshotVolumesLists> {}

export const SourceIndication = struct(
  'io.kubevirt.snapshot.v1beta1.SourceIndication',
  'What state the machine was in.',
  {
    indication: required(string, 'Online, Paused, GuestAgent, NoGuestAgent, QuiesceTimeout or PartialSnapshot.'),
    message: required(string, 'The same in words, for people.'),
  },
);
export interface SourceIndication extends Infer<typeof SourceIndication> {}

export const VirtualMachineSnapshotSpec = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineSnapshotSpec',
  'What is to be kept.',
  {
    deletionPolicy: optional(
      string,
      'What becomes of the content when the snapshot goes: Delete or Retain. Delete when missing.',
    ),
    failureDeadline: optional(duration, 'How long it may take; 5m when missing, 0 for no limit.'),
    source: required(TypedLocalObjectReference, 'The machine.'),
  },
);
export interface VirtualMachineSnapshotSpec extends Infer<typeof VirtualMachineSnapshotSpec> {}

export const VirtualMachineSnapshotStatus = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineSnapshotStatus',
  'How a snapshot is doing.',
  {
    conditions: optional(list(SnapshotCondition, 'atomic'), 'Observations about the snapshot, one a type.'),
    creationTime: optional(nullableTime, 'The moment that it holds.'),
    error: optional(SnapshotError, 'What last went wrong.'),
    indications: optional(list(string, 'set'), 'Old form of sourceIndications.'),
    phase: optional(string, 'InProgress, Succeeded, Failed, Deleting or Unknown.'),
    readyToUse: optional(boolean, 'Whether it can be restored.'),
    snapshotVolumes: optional(SnapshotVolumesLists, 'Which volumes it has.'),
    sourceIndications: optional(list(SourceIndication, 'atomic'), 'What state the machine was in.'),
    sourceUID: optional(string, 'UID of the machine.'),
    virtualMachineSnapshotContentName: optional(string, 'The content.'),
  },
);
export interface VirtualMachineSnapshotStatus extends Infer<typeof VirtualMachineSnapshotStatus> {}

export const VirtualMachineSnapshotSchema = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineSnapshot',
  "A machine's settings and disks at one moment.",
  {
    ...objectFields,
    spec: required(VirtualMachineSnapshotSpec, 'What is wanted.'),
    status: optional(VirtualMachineSnapshotStatus, 'What was last observed. Written by the system.'),
  },
);
export interface VirtualMachineSnapshot extends Infer<typeof VirtualMachineSnapshotSchema> {}

export const VirtualMachineSnapshot = defineKind<VirtualMachineSnapshot>({
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineSnapshot',
  plural: 'virtualmachinesnapshots',
  namespaced: true,
  shortNames: ['vmsnapshot', 'vmsnapshots'],
  categories: ['all'],
  schema: VirtualMachineSnapshotSchema,
  columns: [...sourceColumns, phaseColumn, readyToUseColumn, creationTimeColumn, errorColumn],
});
