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

export const ContainerStateRunning = struct('io.k8s.api.core.v1.ContainerStateRunning', '', {
  startedAt: opt(1, time),
});
export interface ContainerStateRunning extends Infer<typeof ContainerStateRunning> {}

export const ContainerStateTerminated = struct('io.k8s.api.core.v1.ContainerStateTerminated', '', {
  containerID: opt(7, string),
  exitCode: req(1, int32),
  finishedAt: opt(6, time),
  message: opt(4, string),
  reason: opt(3, string),
  signal: opt(2, int32),
  startedAt: opt(5, time),
});
export interface ContainerStateTerminated extends Infer<typeof ContainerStateTerminated> {}

export const ContainerStateWaiting = struct('io.k8s.api.core.v1.ContainerStateWaiting', '', {
  message: opt(2, string),
  reason: opt(1, string),
});
export interface ContainerStateWaiting extends Infer<typeof ContainerStateWaiting> {}

export const ContainerState = struct('io.k8s.api.core.v1.ContainerState', '', {
  running: opt(2, ContainerStateRunning),
  terminated: opt(3, ContainerStateTerminated),
  waiting: opt(1, ContainerStateWaiting),
});
export interface ContainerState extends Infer<typeof ContainerState> {}

export const LinuxContainerUser = struct('io.k8s.api.core.v1.LinuxContainerUser', '', {
  gid: req(2, int64),
  supplementalGroups: opt(3, list(int64, 'atomic')),
  uid: req(1, int64),
});
export interface LinuxContainerUser extends Infer<typeof LinuxContainerUser> {}

export const ContainerUser = struct('io.k8s.api.core.v1.ContainerUser', '', {
  linux: opt(1, LinuxContainerUser),
});
export interface ContainerUser extends Infer<typeof ContainerUser> {}

export const ResourceHealth = struct('io.k8s.api.core.v1.ResourceHealth', '', {
  health: opt(2, string),
  message: opt(6, string),
  resourceID: req(1, string),
});
export interface ResourceHealth extends Infer<typeof ResourceHealth> {}

export const ResourceStatus = struct('io.k8s.api.core.v1.ResourceStatus', '', {
  name: req(1, string),
  resources: opt(2, list(ResourceHealth, ['resourceID'])),
});
export interface ResourceStatus extends Infer<typeof ResourceStatus> {}

export const ImageVolumeStatus = struct('io.k8s.api.core.v1.ImageVolumeStatus', '', {
  imageRef: req(1, string),
});
export interface ImageVolumeStatus extends Infer<typeof ImageVolumeStatus> {}

export const VolumeStatus = struct('io.k8s.api.core.v1.VolumeStatus', '', {
  image: opt(1, ImageVolumeStatus),
});
export interface VolumeStatus extends Infer<typeof VolumeStatus> {}

export const VolumeMountStatus = struct('io.k8s.api.core.v1.VolumeMountStatus', '', {
  mountPath: req(2, string),
  name: req(1, string),
  readOnly: opt(3, boolean),
  recursiveReadOnly: opt(4, string),
  volumeStatus: opt(5, VolumeStatus),
});
export interface VolumeMountStatus extends Infer<typeof VolumeMountStatus> {}

export const ContainerStatus = struct('io.k8s.api.core.v1.ContainerStatus', '', {
  allocatedResources: opt(10, map(quantity)),
  allocatedResourcesStatus: opt(14, list(ResourceStatus, ['name']), { patch: 'merge', key: 'name' }),
  containerID: opt(8, string),
  image: req(6, string),
  imageID: req(7, string),
  lastState: opt(3, ContainerState),
  name: req(1, string),
  ready: req(4, boolean),
  resources: opt(11, ResourceRequirements),
  restartCount: req(5, int32),
  started: opt(9, boolean),
  state: opt(2, ContainerState),
  stopSignal: opt(15, string),
  user: opt(13, ContainerUser),
  volumeMounts: opt(12, list(VolumeMountStatus, ['mountPath']), { patch: 'merge', key: 'mountPath' }),
});
export interface ContainerStatus extends Infer<typeof ContainerStatus> {}
