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
  'A claim as it was.',
  {
    metadata: optional(templateMetadata, 'Its metadata then.'),
    spec: optional(withoutDefaults(PersistentVolumeClaimSpec), 'What it asked for.'),
  },
);
export interface SnapshotPersistentVolumeClaim extends Infer<typeof SnapshotPersistentVolumeClaim> {}

export const VolumeBackup = struct('io.kubevirt.snapshot.v1beta1.VolumeBackup', 'One volume of a snapshot.', {
  persistentVolumeClaim: required(SnapshotPersistentVolumeClaim, 'Its claim as it was.'),
  volumeName: required(string, 'Name of the volume in the machine.'),
  volumeSnapshotName: optional(string, 'The VolumeSnapshot that holds its data.'),
});
export interface VolumeBackup extends Infer<typeof VolumeBackup> {}

export const SnapshotVirtualMachine = struct('io.kubevirt.snapshot.v1beta1.VirtualMachine', 'A machine as it was.', {
  metadata: optional(templateMetadata, 'Its metadata then.'),
  spec: optional(VirtualMachineSpec, 'What was wanted of it.'),
  status: optional(VirtualMachineStatus, 'How it was doing.'),
});
export interface SnapshotVirtualMachine extends Infer<typeof SnapshotVirtualMachine> {}

export const SourceSpec = struct('io.kubevirt.snapshot.v1beta1.SourceSpec', 'What a snapshot was made of.', {
  virtualMachine: optional(SnapshotVirtualMachine, 'The machine as it was.'),
});
export interface SourceSpec extends Infer<typeof SourceSpec> {}

export const SnapshotVolumeStatus = struct(
  'io.kubevirt.snapshot.v1beta1.VolumeSnapshotStatus',
  'How the VolumeSnapshot of one volume is doing.',
  {
    creationTime: optional(nullableTime, 'The moment that it holds.'),
    error: optional(SnapshotError, 'What last went wrong.'),
    readyToUse: optional(boolean, 'Whether it can be restored.'),
    volumeSnapshotName: required(string, 'Name of the VolumeSnapshot.'),
  },
);
export interface SnapshotVolumeStatus extends Infer<typeof SnapshotVolumeStatus> {}

export const VirtualMachineSnapshotContentSpec = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineSnapshotContentSpec',
  'What a snapshot holds.',
  {
    source: required(SourceSpec, 'What it was made of.'),
    virtualMachineSnapshotName: optional(string, 'The snapshot that it belongs to.'),
    volumeBackups: optional(list(VolumeBackup, 'atomic'), 'The volumes.'),
  },
);
export interface VirtualMachineSnapshotContentSpec extends Infer<typeof VirtualMachineSnapshotContentSpec> {}

export const VirtualMachineSnapshotContentStatus = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineSnapshotContentStatus',
  'How the content of a snapshot is doing.',
  {
    creationTime: optional(nullableTime, 'The moment that it holds.'),
    error: optional(SnapshotError, 'What last went wrong.'),
    readyToUse: optional(boolean, 'Whether it can be restored.'),
    volumeSnapshotStatus: optional(list(SnapshotVolumeStatus, 'atomic'), 'How the VolumeSnapshots are doing.'),
  },
);
export interface VirtualMachineSnapshotContentStatus extends Infer<typeof VirtualMachineSnapshotContentStatus> {}

export const VirtualMachineSnapshotContentSchema = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineSnapshotContent',
  'The content of a snapshot. Made by the system.',
  {
    ...objectFields,
    spec: required(VirtualMachineSnapshotContentSpec, 'What is held.'),
    status: optional(VirtualMachineSnapshotContentStatus, 'What was last observed. Written by the system.'),
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
