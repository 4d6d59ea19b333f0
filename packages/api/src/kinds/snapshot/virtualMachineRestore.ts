import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, map, oneOf, string, struct, time } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { optional, required } from '../customResource.ts';
import { SnapshotCondition } from './snapshotParts.ts';

export const VolumeRestoreOverride = struct(
  'io.kubevirt.snapshot.v1beta1.VolumeRestoreOverride',
  'Settings for one restored claim that differ from the snapshot.',
  {
    annotations: optional(map(string), 'Annotations to set on the restored claim.'),
    labels: optional(map(string), 'Labels to set on the restored claim.'),
    restoreName: optional(string, 'Name of the restored claim. Overrides volumeRestorePolicy.'),
    volumeName: optional(string, 'Name of the volume in the VM.'),
  },
);
export interface VolumeRestoreOverride extends Infer<typeof VolumeRestoreOverride> {}

export const VolumeRestore = struct(
  'io.kubevirt.snapshot.v1beta1.VolumeRestore',
  'A volume of the snapshot and the claim it is restored to.',
  {
    dataVolumeName: optional(string, 'Name of the DataVolume that is created for the volume.'),
    persistentVolumeClaim: required(string, 'Name of the claim that is created for the volume.'),
    volumeName: required(string, 'Name of the volume in the VM.'),
    volumeSnapshotName: required(string, 'Name of the VolumeSnapshot that holds the data.'),
  },
);
export interface VolumeRestore extends Infer<typeof VolumeRestore> {}

export const VirtualMachineRestoreSpec = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineRestoreSpec',
  'The snapshot to restore, the target, and how its volumes are restored.',
  {
    patches: optional(
      list(string, 'atomic'),
      'JSON patches, each written as a string, for a VM that the restore creates.',
    ),
    target: required(TypedLocalObjectReference, 'The VirtualMachine to restore. It is created if it does not exist.'),
    targetReadinessPolicy: optional(oneOf('StopTarget', 'WaitGracePeriod', 'FailImmediate', 'WaitEventually'), {
      default: 'WaitGracePeriod',
      doc: 'What happens if the VM is running: WaitGracePeriod (5m, then fail), StopTarget, FailImmediate or WaitEventually.',
    }),
    virtualMachineSnapshotName: required(string, 'Name of a VirtualMachineSnapshot in the same namespace.'),
    volumeOwnershipPolicy: optional(string, 'Whether the claims are deleted with the VM: Vm or None. Defaults to Vm.'),
    volumeRestoreOverrides: optional(
      list(VolumeRestoreOverride, 'atomic'),
      'Settings for single restored claims that differ from the snapshot.',
    ),
    volumeRestorePolicy: optional(
      string,
      'How restored claims are named: RandomizeNames, InPlace (replaces the current claims) or PrefixTargetName. Defaults to RandomizeNames.',
    ),
  },
);
export interface VirtualMachineRestoreSpec extends Infer<typeof VirtualMachineRestoreSpec> {}

export const VirtualMachineRestoreStatus = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineRestoreStatus',
  'Progress of a VirtualMachineRestore.',
  {
    complete: optional(boolean, 'Whether the restore has finished successfully.'),
    conditions: optional(list(SnapshotCondition, 'atomic'), 'Conditions of the restore.'),
    deletedDataVolumes: optional(list(string, 'set'), 'DataVolumes of the target that the restore deleted.'),
    restoreTime: optional(time, 'Time at which the restore finished.'),
    restores: optional(list(VolumeRestore, 'atomic'), 'The restored volumes with their claims.'),
  },
);
export interface VirtualMachineRestoreStatus extends Infer<typeof VirtualMachineRestoreStatus> {}

export const VirtualMachineRestoreSchema = struct(
  'io.kubevirt.snapshot.v1beta1.VirtualMachineRestore',
  'Restores a VirtualMachine, or creates a new one, from a VirtualMachineSnapshot.',
  {
    ...objectFields,
    spec: required(VirtualMachineRestoreSpec, 'Desired state of the VirtualMachineRestore.'),
    status: optional(VirtualMachineRestoreStatus, 'Observed state of the VirtualMachineRestore. The system writes it.'),
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
    { name: 'TargetKind', type: 'string', jsonPath: '.spec.target.kind', description: "Kind of the restore's target." },
    { name: 'TargetName', type: 'string', jsonPath: '.spec.target.name', description: "Name of the restore's target." },
    {
      name: 'Complete',
      type: 'boolean',
      jsonPath: '.status.complete',
      description: 'Whether the restore has finished successfully.',
    },
    {
      name: 'RestoreTime',
      type: 'date',
      jsonPath: '.status.restoreTime',
      description: 'Time at which the restore finished.',
    },
  ],
});
