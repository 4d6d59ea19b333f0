import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, string, struct } from '../../schema.ts';
import { PersistentVolumeClaimSpec } from '../core/persistentVolumeClaim.ts';
import { creationTimeColumn, errorColumn, readyToUseColumn } from '../customColumns.ts';
import { nullableTime, optional, required, templateMetadata, withoutDefaults } from '../customResource.ts';
import { VirtualMachineSpec } from '../kubevirt/virtualMachineSpec.ts';
import { VirtualMachineStatus } from '../kubevirt/virtualMachineStatus.ts';
import { SnapshotError } from './snapshotParts.ts';

export const SnapshotPersistentVolumeClaim = struct(
  'io.kubevirt.snapshot.v1beta1.PersistentVolumeClaim',
  'A PersistentVolumeClaim as it was when the snapshot was taken.',
  {
    metadata: optional(templateMetadata, 'Metadata of the claim at that time.'),
    spec: optional(withoutDefaults(PersistentVolumeClaimSpec), 'Spec of the claim at that time.'),
  },
);
export interface SnapshotPersistentVolumeClaim extends Infer<typeof SnapshotPersistentVolumeClaim> {}

export const VolumeBackup = struct('io.kubevirt.snapshot.v1beta1.VolumeBackup', 'One volume of a snapshot.', {
  persistentVolumeClaim: required(SnapshotPersistentVolumeClaim, 'The claim as it was when the snapshot was taken.'),
  volumeName: required(string, 'Name of the volume in the VM.'),
  volumeSnapshotName: optional(string, 'Name of the VolumeSnapshot that holds the data.'),
});
export interface VolumeBackup extends Infer<typeof VolumeBackup> {}

export const SnapshotVirtualMachine = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachine',
  'A VirtualMachine as it was when the snapshot was taken.',
  {
    metadata: optional(templateMetadata, 'Metadata of the VirtualMachine at that time.'),
    spec: optional(VirtualMachineSpec, 'Spec of the VirtualMachine at that time.'),
    status: optional(VirtualMachineStatus, 'Status of the VirtualMachine at that time.'),
  },
);
export interface SnapshotVirtualMachine extends Infer<typeof SnapshotVirtualMachine> {}

export const SourceSpec = struct(
  'io.kubevirt.snapshot.v1beta1.SourceSpec',
  'The object that the snapshot was taken of.',
  {
    virtualMachine: optional(SnapshotVirtualMachine, 'The VirtualMachine as it was when the snapshot was taken.'),
  },
);
export interface SourceSpec extends Infer<typeof SourceSpec> {}

export const SnapshotVolumeStatus = struct(
  'io.kubevirt.snapshot.v1beta1.VolumeSnapshotStatus',
  'State of the VolumeSnapshot of one volume.',
  {
    creationTime: optional(nullableTime, 'Point in time that the VolumeSnapshot captures.'),
    error: optional(SnapshotError, 'The last error that occurred.'),
    readyToUse: optional(boolean, 'Whether the VolumeSnapshot can be restored.'),
    volumeSnapshotName: required(string, 'Name of the VolumeSnapshot in the same namespace.'),
  },
);
export interface SnapshotVolumeStatus extends Infer<typeof SnapshotVolumeStatus> {}

export const VirtualMachineSnapshotContentSpec = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineSnapshotContentSpec',
  'What a VirtualMachineSnapshot captured.',
  {
    source: required(SourceSpec, 'The VirtualMachine as it was when the snapshot was taken.'),
    virtualMachineSnapshotName: optional(string, 'Name of the VirtualMachineSnapshot that this content belongs to.'),
    volumeBackups: optional(list(VolumeBackup, 'atomic'), 'The volumes that the snapshot includes.'),
  },
);
export interface VirtualMachineSnapshotContentSpec extends Infer<typeof VirtualMachineSnapshotContentSpec> {}

export const VirtualMachineSnapshotContentStatus = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineSnapshotContentStatus',
  'State of the content of a VirtualMachineSnapshot.',
  {
    creationTime: optional(nullableTime, 'Point in time that the snapshot captures.'),
    error: optional(SnapshotError, 'The last error that occurred.'),
    readyToUse: optional(boolean, 'Whether the snapshot can be restored.'),
    volumeSnapshotStatus: optional(list(SnapshotVolumeStatus, 'atomic'), 'State of the VolumeSnapshot of each volume.'),
  },
);
export interface VirtualMachineSnapshotContentStatus extends Infer<typeof VirtualMachineSnapshotContentStatus> {}

export const VirtualMachineSnapshotContentSchema = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineSnapshotContent',
  'Data of a VirtualMachineSnapshot. The snapshot controller creates it.',
  {
    ...objectFields,
    spec: required(VirtualMachineSnapshotContentSpec, 'What the VirtualMachineSnapshot captured.'),
    status: optional(
      VirtualMachineSnapshotContentStatus,
      'Observed state of the VirtualMachineSnapshotContent. The system writes it.',
    ),
  },
);
export interface VirtualMachineSnapshotContent extends Infer<typeof VirtualMachineSnapshotContentSchema> {}

export const VirtualMachineSnapshotContent = defineKind<VirtualMachineSnapshotContent>({
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineSnapshotContent',
  plural: 'virtualmachinesnapshotcontents',
  namespaced: true,
  shortNames: ['vmsnapshotcontent', 'vmsnapshotcontents'],
  categories: ['all'],
  schema: VirtualMachineSnapshotContentSchema,
  columns: [readyToUseColumn, creationTimeColumn, errorColumn],
});
