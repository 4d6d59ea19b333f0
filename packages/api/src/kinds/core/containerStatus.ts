import {
  boolean,
  type Infer,
  int32,
  int64,
  list,
  map,
  opt,
  quantity,
  req,
  string,
  struct,
  time,
} from '../../schema.ts';
import { ResourceRequirements } from './resources.ts';

export const ContainerStateRunning = struct(
  'io.k8s.api.core.v1.ContainerStateRunning',
  'Details of a running container.',
  {
    startedAt: opt(1, time, 'Time at which the container started.'),
  },
);
export interface ContainerStateRunning extends Infer<typeof ContainerStateRunning> {}

export const ContainerStateTerminated = struct(
  'io.k8s.api.core.v1.ContainerStateTerminated',
  'Details of a terminated container.',
  {
    containerID: opt(7, string, 'ID of the container at the runtime.'),
    exitCode: req(1, int32, 'Exit code of the container.'),
    finishedAt: opt(6, time, 'Time at which the container terminated.'),
    message: opt(4, string, 'Termination message of the container.'),
    reason: opt(3, string, 'Reason why the container terminated, as one CamelCase word.'),
    signal: opt(2, int32, 'Signal that terminated the container.'),
    startedAt: opt(5, time, 'Time at which the container started.'),
  },
);
export interface ContainerStateTerminated extends Infer<typeof ContainerStateTerminated> {}

export const ContainerStateWaiting = struct(
  'io.k8s.api.core.v1.ContainerStateWaiting',
  'Details of a container that has not started.',
  {
    message: opt(2, string, 'Human-readable reason why it has not started.'),
    reason: opt(1, string, 'Reason why the container has not started, as one CamelCase word.'),
  },
);
export interface ContainerStateWaiting extends Infer<typeof ContainerStateWaiting> {}

export const ContainerState = struct(
  'io.k8s.api.core.v1.ContainerState',
  'State of a container. Exactly one field is set.',
  {
    running: opt(2, ContainerStateRunning, 'Set while the container runs.'),
    terminated: opt(3, ContainerStateTerminated, 'Set once the container has terminated.'),
    waiting: opt(1, ContainerStateWaiting, 'Set while the container has not started.'),
  },
);
export interface ContainerState extends Infer<typeof ContainerState> {}

export const LinuxContainerUser = struct(
  'io.k8s.api.core.v1.LinuxContainerUser',
  'User and groups of a process on Linux.',
  {
    gid: req(2, int64, 'Primary group ID of the process.'),
    supplementalGroups: opt(3, list(int64, 'atomic'), 'Supplementary group IDs of the process.'),
    uid: req(1, int64, 'User ID of the process.'),
  },
);
export interface LinuxContainerUser extends Infer<typeof LinuxContainerUser> {}

export const ContainerUser = struct('io.k8s.api.core.v1.ContainerUser', "The user of a container's first process.", {
  linux: opt(1, LinuxContainerUser, 'User and groups on Linux.'),
});
export interface ContainerUser extends Infer<typeof ContainerUser> {}

export const ResourceHealth = struct('io.k8s.api.core.v1.ResourceHealth', 'Health of one device.', {
  health: opt(2, string, 'Health of the device: Healthy, Unhealthy or Unknown.'),
  message: opt(6, string, 'Human-readable details about the health.'),
  resourceID: req(1, string, 'ID of the device.'),
});
export interface ResourceHealth extends Infer<typeof ResourceHealth> {}

export const ResourceStatus = struct('io.k8s.api.core.v1.ResourceStatus', 'Health of the devices of one resource.', {
  name: req(1, string, 'Name of the resource or claim.'),
  resources: opt(2, list(ResourceHealth, ['resourceID']), 'Health of each device.'),
});
export interface ResourceStatus extends Infer<typeof ResourceStatus> {}

export const ImageVolumeStatus = struct(
  'io.k8s.api.core.v1.ImageVolumeStatus',
  'An image that is mounted as a volume.',
  {
    imageRef: req(1, string, 'Digest of the mounted image.'),
  },
);
export interface ImageVolumeStatus extends Infer<typeof ImageVolumeStatus> {}

export const VolumeStatus = struct('io.k8s.api.core.v1.VolumeStatus', 'State of a mounted volume.', {
  image: opt(1, ImageVolumeStatus, 'Status of a volume whose source is an image.'),
});
export interface VolumeStatus extends Infer<typeof VolumeStatus> {}

export const VolumeMountStatus = struct('io.k8s.api.core.v1.VolumeMountStatus', 'A volume as it was mounted.', {
  mountPath: req(2, string, 'Path in the container at which the volume is mounted.'),
  name: req(1, string, 'Name of the volume in spec.volumes.'),
  readOnly: opt(3, boolean, 'Whether the volume is mounted read-only.'),
  recursiveReadOnly: opt(4, string, { pointer: true, doc: 'Whether mounts below are read-only too.' }),
  volumeStatus: opt(5, VolumeStatus, 'Status of the volume that is mounted.'),
});
export interface VolumeMountStatus extends Infer<typeof VolumeMountStatus> {}

export const ContainerStatus = struct('io.k8s.api.core.v1.ContainerStatus', 'Observed state of a container.', {
  allocatedResources: opt(10, map(quantity), 'Resources that the node has allocated to the container.'),
  allocatedResourcesStatus: opt(14, list(ResourceStatus, ['name']), {
    patch: 'merge',
    key: 'name',
    doc: 'Health of the devices that the container uses.',
  }),
  containerID: opt(8, string, 'ID of the container at the runtime, as type://id.'),
  image: req(6, string, 'Image that the container runs.'),
  imageID: req(7, string, 'ID of the image that the container runs.'),
  lastState: opt(3, ContainerState, 'State in which the container last terminated.'),
  name: req(1, string, 'Name of the container.'),
  ready: req(4, boolean, 'Whether the container passes its readiness probe.'),
  resources: opt(11, ResourceRequirements, 'Resources that the container runs with.'),
  restartCount: req(5, int32, 'Number of times that the container was restarted.'),
  started: opt(9, boolean, { pointer: true, doc: 'Whether the container has passed its startup probe.' }),
  state: opt(2, ContainerState, 'Current state of the container.'),
  stopSignal: opt(15, string, { pointer: true, doc: 'Signal that asks the container to stop.' }),
  user: opt(13, ContainerUser, "User of the container's first process."),
  volumeMounts: opt(12, list(VolumeMountStatus, ['mountPath']), {
    patch: 'merge',
    key: 'mountPath',
    doc: 'Volumes as they were mounted.',
  }),
});
export interface ContainerStatus extends Infer<typeof ContainerStatus> {}
