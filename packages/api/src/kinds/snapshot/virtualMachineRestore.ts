import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, map, oneOf, string, struct, time } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { optional, required } from '../customResource.ts';
import { SnapshotCondition } from './snapshotParts.ts';

export const VolumeRestoreOverride = struct(
  'io.kubevirt.snapshot.v1beta1.VolumeRestoreOverride',
  'How one volume is restored differently.',
  {
    annotations: optional(map(string), 'Annotations for its claim.'),
    labels: optional(map(string), 'Labels for its claim.'),
    restoreName: optional(string, 'Name of its claim.'),
    volumeName: optional(string, 'Name of the volume in the machine.'),
  },
);
export interface VolumeRestoreOverride extends Infer<typeof VolumeRestoreOverride> {}

export const VolumeRestore = struct('io.kubevirt.snapshot.v1beta1.VolumeRestore', 'One volume that is restored.', {
  dataVolumeName: optional(string, 'The DataVolume that is made for it.'),
  persistentVolumeClaim: required(string, 'The claim that is made for it.'),
  volumeName: required(string, 'Name of the volume in the machine.'),
  volumeSnapshotName: required(string, 'The VolumeSnapshot that its data comes from.'),
});
export interface VolumeRestore extends Infer<typeof VolumeRestore> {}

export const VirtualMachineRestoreSpec = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineRestoreSpec',
  'What is to be restored, and where to.',
  {
    patches: optional(list(string, 'atomic'), 'JSON patches for a machine that is made.'),
    target: required(TypedLocalObjectReference, 'The machine; it is made when it is not there.'),
    targetReadinessPolicy: optional(oneOf('StopTarget', 'WaitGracePeriod', 'FailImmediate', 'WaitEventually'), {
      default: 'WaitGracePeriod',
      doc: 'What happens while the machine runs: WaitGracePeriod (5m, then fail), StopTarget, FailImmediate or WaitEventually.',
    }),
    virtualMachineSnapshotName: required(string, 'The snapshot, in the same namespace.'),
    volumeOwnershipPolicy: optional(string, 'Whether claims go with the machine: Vm or None. Vm when missing.'),
    volumeRestoreOverrides: optional(list(VolumeRestoreOverride, 'atomic'), 'Volumes that are restored differently.'),
    volumeRestorePolicy: optional(
      string,
      'How claims are named: RandomizeNames, InPlace (the old claims are replaced) or PrefixTargetName. RandomizeNames when missing.',
    ),
  },
);
export interface VirtualMachineRestoreSpec extends Infer<typeof VirtualMachineRestoreSpec> {}

export const VirtualMachineRestoreStatus = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineRestoreStatus',
  'How a restore is going.',
  {
    complete: optional(boolean, 'Whether it has ended well.'),
    conditions: optional(list(SnapshotCondition, 'atomic'), 'Observations about the restore, one a type.'),
    deletedDataVolumes: optional(list(string, 'set'), 'DataVolumes that went.'),
    restoreTime: optional(time, 'When it ended.'),
    restores: optional(list(VolumeRestore, 'atomic'), 'The volumes.'),
  },
);
export interface VirtualMachineRestoreStatus extends Infer<typeof VirtualMachineRestoreStatus> {}

export const VirtualMachineRestoreSchema = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineRestore',
  'Brings a machine back to the state of a snapshot.',
  {
    ...objectFields,
    spec: required(VirtualMachineRestoreSpec, 'What is wanted.'),
    status: optional(VirtualMachineRestoreStatus, 'What was last observed. Written by the system.'),
  },
);
export interface VirtualMachineRestore extends Infer<typeof VirtualMachineRestoreSchema> {}

export const VirtualMachineRestore = defineKind<VirtualMachineRestore>({
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineRestore',
  plural: 'virtualmachinerestores',
  namespaced: true,
  shortNames: ['vmrestore', 'vmrestores'],
  categories: ['all'],
  schema: VirtualMachineRestoreSchema,
  columns: [
    { name: 'TargetKind', type: 'string', jsonPath: '.spec.target.kind', description: 'Kind of the target.' },
    { name: 'TargetName', type: 'string', jsonPath: '.spec.target.name', description: 'Name of the target.' },
    { name: 'Complete', type: 'boolean', jsonPath: '.status.complete', description: 'Whether it has ended well.' },
    { name: 'RestoreTime', type: 'date', jsonPath: '.status.restoreTime', description: 'When it ended.' },
  ],
});
