import { boolean, type Infer, int32, int64, list, map, string, struct, time } from '../../schema.ts';
import { conditionFields, optional, required } from '../customResource.ts';
import { ChangedBlockTrackingStatus } from './changedBlockTracking.ts';
import { AddVolumeOptions, RemoveVolumeOptions } from './subresourceOptions.ts';
import { StorageMigratedVolumeInfo } from './volumeStatus.ts';

export const VirtualMachineCondition = struct(
  'io.kubevirt.v1.VirtualMachineCondition',
  'One observation about a machine.',
  conditionFields,
);
export interface VirtualMachineCondition extends Infer<typeof VirtualMachineCondition> {}

export const ControllerRevisionRef = struct('io.kubevirt.v1.ControllerRevisionRef', 'Names a ControllerRevision.', {
  name: optional(string, 'Its name.'),
});
export interface ControllerRevisionRef extends Infer<typeof ControllerRevisionRef> {}

export const InstancetypeStatusRef = struct(
  'io.kubevirt.v1.InstancetypeStatusRef',
  'The instance type or preference that is in use.',
  {
    controllerRevisionRef: optional(ControllerRevisionRef, 'The revision that is in use.'),
    inferFromVolume: optional(string, 'Volume that it was inferred from.'),
    inferFromVolumeFailurePolicy: optional(string, 'What happens when the volume names none.'),
    kind: optional(string, 'Its kind.'),
    name: optional(string, 'Its name.'),
  },
);
export interface InstancetypeStatusRef extends Infer<typeof InstancetypeStatusRef> {}

export const VirtualMachineMemoryDumpRequest = struct(
  'io.kubevirt.v1.VirtualMachineMemoryDumpRequest',
  'A memory dump that was asked for.',
  {
    claimName: required(string, 'The claim that it goes to.'),
    endTimestamp: optional(time, 'When it ended.'),
    fileName: optional(string, 'The file in the claim.'),
    message: optional(string, 'What went wrong, for people.'),
    phase: required(string, 'Associating, InProgress, Unmounting, Completed, Dissociating or Failed.'),
    remove: optional(boolean, 'Whether the claim is to be let go.'),
    startTimestamp: optional(time, 'When it began.'),
  },
);
export interface VirtualMachineMemoryDumpRequest extends Infer<typeof VirtualMachineMemoryDumpRequest> {}

export const VirtualMachineStartFailure = struct(
  'io.kubevirt.v1.VirtualMachineStartFailure',
  'Starts that failed one after another.',
  {
    consecutiveFailCount: optional(int32, 'How many.'),
    lastFailedVMIUID: optional(string, 'UID of the instance that failed last.'),
    retryAfterTimestamp: optional(time, 'When the next start is tried.'),
  },
);
export interface VirtualMachineStartFailure extends Infer<typeof VirtualMachineStartFailure> {}

export const VirtualMachineStateChangeRequest = struct(
  'io.kubevirt.v1.VirtualMachineStateChangeRequest',
  'A start or stop that was asked for.',
  {
    action: required(string, 'Start or Stop.'),
    data: optional(map(string), 'Details, such as paused.'),
    uid: optional(string, 'The instance that is to stop.'),
  },
);
export interface VirtualMachineStateChangeRequest extends Infer<typeof VirtualMachineStateChangeRequest> {}

export const VirtualMachineVolumeRequest = struct(
  'io.kubevirt.v1.VirtualMachineVolumeRequest',
  'A volume to plug in or to take out. One of the two.',
  {
    addVolumeOptions: optional(AddVolumeOptions, 'What to plug in.'),
    removeVolumeOptions: optional(RemoveVolumeOptions, 'What to take out.'),
  },
);
export interface VirtualMachineVolumeRequest extends Infer<typeof VirtualMachineVolumeRequest> {}

export const VolumeMigrationState = struct(
  'io.kubevirt.v1.VolumeMigrationState',
  'Volumes that move to other claims.',
  {
    migratedVolumes: optional(list(StorageMigratedVolumeInfo, 'atomic'), 'The volumes.'),
  },
);
export interface VolumeMigrationState extends Infer<typeof VolumeMigrationState> {}

export const VirtualMachineVolumeSnapshotStatus = struct(
  'io.kubevirt.v1.VolumeSnapshotStatus',
  'Whether a volume can be in a snapshot.',
  {
    enabled: required(boolean, 'Whether it can.'),
    name: required(string, 'Name of the volume.'),
    reason: optional(string, 'Why, or why not.'),
  },
);
export interface VirtualMachineVolumeSnapshotStatus extends Infer<typeof VirtualMachineVolumeSnapshotStatus> {}

export const VolumeUpdateState = struct('io.kubevirt.v1.VolumeUpdateState', 'How far a change of volumes has come.', {
  volumeMigrationState: optional(VolumeMigrationState, 'Volumes that move to other claims.'),
});
export interface VolumeUpdateState extends Infer<typeof VolumeUpdateState> {}

export const VirtualMachineStatus = struct('io.kubevirt.v1.VirtualMachineStatus', 'How a machine is doing.', {
  changedBlockTracking: optional(ChangedBlockTrackingStatus, 'Whether changed blocks are tracked.'),
  conditions: optional(
    list(VirtualMachineCondition),
    'Observations about the machine, one a type; those of its instance are among them.',
  ),
  created: optional(boolean, 'Whether it has an instance.'),
  desiredGeneration: optional(int64, 'The generation that is wanted.'),
  instancetypeRef: optional(InstancetypeStatusRef, 'The instance type that is in use.'),
  memoryDumpRequest: optional(VirtualMachineMemoryDumpRequest, 'A memory dump that was asked for.'),
  observedGeneration: optional(int64, 'The generation that the instance was started from.'),
  preferenceRef: optional(InstancetypeStatusRef, 'The preference that is in use.'),
  printableStatus: optional(string, 'The state in a word, such as Stopped, Starting, Running or CrashLoopBackOff.'),
  ready: optional(boolean, 'Whether the guest runs and is well.'),
  restoreInProgress: optional(string, 'The restore that is under way.'),
  runStrategy: optional(string, 'The run strategy that was last acted on.'),
  snapshotInProgress: optional(string, 'The snapshot that is under way.'),
  startFailure: optional(VirtualMachineStartFailure, 'Starts that failed one after another.'),
  stateChangeRequests: optional(
    list(VirtualMachineStateChangeRequest),
    'Starts and stops that were asked for and are not done.',
  ),
  volumeRequests: optional(list(VirtualMachineVolumeRequest, 'atomic'), 'Volumes to plug in or to take out.'),
  volumeSnapshotStatuses: optional(list(VirtualMachineVolumeSnapshotStatus), 'Which volumes can be in a snapshot.'),
  volumeUpdateState: optional(VolumeUpdateState, 'How far a change of volumes has come.'),
});
export interface VirtualMachineStatus extends Infer<typeof VirtualMachineStatus> {}
