import { boolean, type Infer, int32, int64, list, map, string, struct, time } from '../../schema.ts';
import { conditionFields, optional, required } from '../customResource.ts';
import { ChangedBlockTrackingStatus } from './changedBlockTracking.ts';
import { AddVolumeOptions, RemoveVolumeOptions } from './subresourceOptions.ts';
import { StorageMigratedVolumeInfo } from './volumeStatus.ts';

export const VirtualMachineCondition = struct(
  'io.kubevirt.v1.VirtualMachineCondition',
  'A condition of a VirtualMachine, such as Ready or Failure.',
  conditionFields,
);
export interface VirtualMachineCondition extends Infer<typeof VirtualMachineCondition> {}

export const ControllerRevisionRef = struct(
  'io.kubevirt.v1.ControllerRevisionRef',
  'Refers to a ControllerRevision in the same namespace.',
  {
    name: optional(string, 'Name of the ControllerRevision.'),
  },
);
export interface ControllerRevisionRef extends Infer<typeof ControllerRevisionRef> {}

export const InstancetypeStatusRef = struct(
  'io.kubevirt.v1.InstancetypeStatusRef',
  'The instance type or preference that is in use.',
  {
    controllerRevisionRef: optional(ControllerRevisionRef, 'ControllerRevision that holds the version in use.'),
    inferFromVolume: optional(string, 'Volume from which the name was inferred.'),
    inferFromVolumeFailurePolicy: optional(string, 'What happens when the volume names none.'),
    kind: optional(string, 'Kind of the instance type or preference.'),
    name: optional(string, 'Name of the instance type or preference.'),
  },
);
export interface InstancetypeStatusRef extends Infer<typeof InstancetypeStatusRef> {}

export const VirtualMachineMemoryDumpRequest = struct(
  'io.kubevirt.v1.VirtualMachineMemoryDumpRequest',
  'A requested memory dump and its progress.',
  {
    claimName: required(string, 'Claim that the memory is dumped to.'),
    endTimestamp: optional(time, 'Time at which the dump ended.'),
    fileName: optional(string, 'Name of the dump file in the claim.'),
    message: optional(string, 'Human-readable reason why the dump failed.'),
    phase: required(string, 'Associating, InProgress, Unmounting, Completed, Dissociating or Failed.'),
    remove: optional(boolean, 'Whether the claim is to be detached.'),
    startTimestamp: optional(time, 'Time at which the dump started.'),
  },
);
export interface VirtualMachineMemoryDumpRequest extends Infer<typeof VirtualMachineMemoryDumpRequest> {}

export const VirtualMachineStartFailure = struct(
  'io.kubevirt.v1.VirtualMachineStartFailure',
  'Failed starts in a row, and when the next start is tried.',
  {
    consecutiveFailCount: optional(int32, 'Number of starts that have failed in a row.'),
    lastFailedVMIUID: optional(string, 'UID of the VMI that failed last.'),
    retryAfterTimestamp: optional(time, 'Time of the next attempt to start. The delay grows with each failure.'),
  },
);
export interface VirtualMachineStartFailure extends Infer<typeof VirtualMachineStartFailure> {}

export const VirtualMachineStateChangeRequest = struct(
  'io.kubevirt.v1.VirtualMachineStateChangeRequest',
  'A requested start or stop that is not yet carried out.',
  {
    action: required(string, 'Requested action: Start or Stop.'),
    data: optional(map(string), 'Parameters of the action, such as paused.'),
    uid: optional(string, 'UID of the VMI to stop.'),
  },
);
export interface VirtualMachineStateChangeRequest extends Infer<typeof VirtualMachineStateChangeRequest> {}

export const VirtualMachineVolumeRequest = struct(
  'io.kubevirt.v1.VirtualMachineVolumeRequest',
  'A requested hotplug or unplug of a volume. Set one of the two fields.',
  {
    addVolumeOptions: optional(AddVolumeOptions, 'Volume to hotplug and how to attach it.'),
    removeVolumeOptions: optional(RemoveVolumeOptions, 'Volume to unplug.'),
  },
);
export interface VirtualMachineVolumeRequest extends Infer<typeof VirtualMachineVolumeRequest> {}

export const VolumeMigrationState = struct(
  'io.kubevirt.v1.VolumeMigrationState',
  'Volumes that are being migrated to other claims.',
  {
    migratedVolumes: optional(
      list(StorageMigratedVolumeInfo, 'atomic'),
      'The volumes with their source and destination claims.',
    ),
  },
);
export interface VolumeMigrationState extends Infer<typeof VolumeMigrationState> {}

export const VirtualMachineVolumeSnapshotStatus = struct(
  'io.kubevirt.v1.VolumeSnapshotStatus',
  'Whether a snapshot of the VM includes a volume.',
  {
    enabled: required(boolean, 'Whether snapshots include the volume.'),
    name: required(string, 'Name of the volume in spec.template.spec.volumes.'),
    reason: optional(string, 'Reason why snapshots include the volume or not.'),
  },
);
export interface VirtualMachineVolumeSnapshotStatus extends Infer<typeof VirtualMachineVolumeSnapshotStatus> {}

export const VolumeUpdateState = struct(
  'io.kubevirt.v1.VolumeUpdateState',
  'Progress of a change of spec.template.spec.volumes.',
  {
    volumeMigrationState: optional(VolumeMigrationState, 'Volumes that are being migrated to other claims.'),
  },
);
export interface VolumeUpdateState extends Infer<typeof VolumeUpdateState> {}

export const VirtualMachineStatus = struct(
  'io.kubevirt.v1.VirtualMachineStatus',
  'Observed state of a VirtualMachine.',
  {
    changedBlockTracking: optional(
      ChangedBlockTrackingStatus,
      'State of changed block tracking, which incremental backups need.',
    ),
    conditions: optional(list(VirtualMachineCondition), 'Conditions of the VM, including those of its VMI.'),
    created: optional(boolean, 'Whether the VM has a VirtualMachineInstance.'),
    desiredGeneration: optional(int64, 'Generation of the spec that should be in effect.'),
    instancetypeRef: optional(InstancetypeStatusRef, 'The instance type that is in use.'),
    memoryDumpRequest: optional(VirtualMachineMemoryDumpRequest, 'A memory dump that was asked for.'),
    observedGeneration: optional(int64, 'The generation that the VMI was started from.'),
    preferenceRef: optional(InstancetypeStatusRef, 'The preference that is in use.'),
    printableStatus: optional(string, 'The state in a word, such as Stopped, Starting, Running or CrashLoopBackOff.'),
    ready: optional(boolean, 'Whether the guest runs and is well.'),
    restoreInProgress: optional(string, 'Name of the VirtualMachineRestore that is running.'),
    runStrategy: optional(string, 'The run strategy that was last acted on.'),
    snapshotInProgress: optional(string, 'Name of the VirtualMachineSnapshot that is being taken.'),
    startFailure: optional(VirtualMachineStartFailure, 'Failed starts in a row, and when the next start is tried.'),
    stateChangeRequests: optional(
      list(VirtualMachineStateChangeRequest),
      'Starts and stops that were asked for and are not done.',
    ),
    volumeRequests: optional(list(VirtualMachineVolumeRequest, 'atomic'), 'Volumes to plug in or to take out.'),
    volumeSnapshotStatuses: optional(list(VirtualMachineVolumeSnapshotStatus), 'Which volumes can be in a snapshot.'),
    volumeUpdateState: optional(VolumeUpdateState, 'State of a change of volumes.'),
  },
);
export interface VirtualMachineStatus extends Infer<typeof VirtualMachineStatus> {}
