import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, string, struct } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { creationTimeColumn, errorColumn, phaseColumn, readyToUseColumn, sourceColumns } from '../customColumns.ts';
import { duration, nullableTime, optional, required } from '../customResource.ts';
import { SnapshotCondition, SnapshotError } from './snapshotParts.ts';

export const SnapshotVolumesLists = struct(
  'io.kubevirt.snapshot.v1beta1.SnapshotVolumesLists',
  'Which volumes a snapshot includes and excludes.',
  {
    excludedVolumes: optional(list(string, 'set'), 'Names of the volumes that the snapshot does not include.'),
    includedVolumes: optional(list(string, 'set'), 'Names of the volumes that the snapshot includes.'),
  },
);
export interface SnapshotVolumesLists extends Infer<typeof SnapshotVolumesLists> {}

export const SourceIndication = struct(
  'io.kubevirt.snapshot.v1beta1.SourceIndication',
  'A fact about how the snapshot was taken, such as Online or GuestAgent.',
  {
    indication: required(string, 'Online, Paused, GuestAgent, NoGuestAgent, QuiesceTimeout or PartialSnapshot.'),
    message: required(string, 'Human-readable explanation of the indication.'),
  },
);
export interface SourceIndication extends Infer<typeof SourceIndication> {}

export const VirtualMachineSnapshotSpec = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineSnapshotSpec',
  'Which VirtualMachine to snapshot, and how.',
  {
    deletionPolicy: optional(
      string,
      'What happens to the content when the snapshot is deleted: Delete or Retain. Defaults to Delete.',
    ),
    failureDeadline: optional(duration, 'Time after which the snapshot fails. Defaults to 5m; 0 means no limit.'),
    source: required(TypedLocalObjectReference, 'The VirtualMachine to snapshot, in the same namespace.'),
  },
);
export interface VirtualMachineSnapshotSpec extends Infer<typeof VirtualMachineSnapshotSpec> {}

export const VirtualMachineSnapshotStatus = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineSnapshotStatus',
  'Progress and result of a VirtualMachineSnapshot.',
  {
    conditions: optional(list(SnapshotCondition, 'atomic'), 'Conditions of the snapshot.'),
    creationTime: optional(nullableTime, 'Point in time that the snapshot captures.'),
    error: optional(SnapshotError, 'The last error that occurred.'),
    indications: optional(list(string, 'set'), 'Deprecated. Use sourceIndications.'),
    phase: optional(string, 'Progress of the snapshot: InProgress, Succeeded, Failed, Deleting or Unknown.'),
    readyToUse: optional(boolean, 'Whether the snapshot can be restored.'),
    snapshotVolumes: optional(SnapshotVolumesLists, 'Which volumes the snapshot includes and excludes.'),
    sourceIndications: optional(
      list(SourceIndication, 'atomic'),
      'How the snapshot was taken, such as Online or GuestAgent.',
    ),
    sourceUID: optional(string, 'UID of the VirtualMachine.'),
    virtualMachineSnapshotContentName: optional(
      string,
      'Name of the VirtualMachineSnapshotContent that holds the data.',
    ),
  },
);
export interface VirtualMachineSnapshotStatus extends Infer<typeof VirtualMachineSnapshotStatus> {}

export const VirtualMachineSnapshotSchema = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineSnapshot',
  'The settings and disks of a VirtualMachine at one point in time.',
  {
    ...objectFields,
    spec: required(VirtualMachineSnapshotSpec, 'Desired state of the VirtualMachineSnapshot.'),
    status: optional(
      VirtualMachineSnapshotStatus,
      'Observed state of the VirtualMachineSnapshot. The system writes it.',
    ),
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
