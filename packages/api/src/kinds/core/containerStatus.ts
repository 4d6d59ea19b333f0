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

export const ContainerStateRunning = struct('io.k8s.api.core.v1.ContainerStateRunning', 'A running container.', {
  startedAt: opt(1, time, 'When it started.'),
});
export interface ContainerStateRunning extends Infer<typeof ContainerStateRunning> {}

export const ContainerStateTerminated = struct(
  'io.k8s.api.core.v1.ContainerStateTerminated',
  'A container that has ended.',
  {
    containerID: opt(7, string, 'Its ID at the runtime.'),
    exitCode: req(1, int32, 'Exit status.'),
    finishedAt: opt(6, time, 'When it ended.'),
    message: opt(4, string, 'What it left as its last words.'),
    reason: opt(3, string, 'Why it ended, in one word.'),
    signal: opt(2, int32, 'The signal that ended it.'),
    startedAt: opt(5, time, 'When it had started.'),
  },
);
export interface ContainerStateTerminated extends Infer<typeof ContainerStateTerminated> {}

export const ContainerStateWaiting = struct(
  'io.k8s.api.core.v1.ContainerStateWaiting',
  'A container that is yet to start.',
  {
    message: opt(2, string, 'Details for people.'),
    reason: opt(1, string, 'Why it waits, in one word.'),
  },
);
export interface ContainerStateWaiting extends Infer<typeof ContainerStateWaiting> {}

export const ContainerState = struct(
  'io.k8s.api.core.v1.ContainerState',
  'What a container is doing; one of the three is set.',
  {
    running: opt(2, ContainerStateRunning, 'It runs.'),
    terminated: opt(3, ContainerStateTerminated, 'It has ended.'),
    waiting: opt(1, ContainerStateWaiting, 'It is yet to start.'),
  },
);
export interface ContainerState extends Infer<typeof ContainerState> {}

export const LinuxContainerUser = struct('io.k8s.api.core.v1.LinuxContainerUser', 'A user on Linux.', {
  gid: req(2, int64, 'Primary group.'),
  supplementalGroups: opt(3, list(int64, 'atomic'), 'Further groups.'),
  uid: req(1, int64, 'User.'),
});
export interface LinuxContainerUser extends Infer<typeof LinuxContainerUser> {}

export const ContainerUser = struct('io.k8s.api.core.v1.ContainerUser', "The user of a container's first process.", {
  linux: opt(1, LinuxContainerUser, 'The user on Linux.'),
});
export interface ContainerUser extends Infer<typeof ContainerUser> {}

export const ResourceHealth = struct('io.k8s.api.core.v1.ResourceHealth', 'Health of one device.', {
  health: opt(2, string, 'Healthy, Unhealthy or Unknown.'),
  message: opt(6, string, 'Details, for people.'),
  resourceID: req(1, string, 'Which device.'),
});
export interface ResourceHealth extends Infer<typeof ResourceHealth> {}

export const ResourceStatus = struct('io.k8s.api.core.v1.ResourceStatus', 'Health of one kind of device.', {
  name: req(1, string, 'The resource or claim.'),
  resources: opt(2, list(ResourceHealth, ['resourceID']), 'Health of each device.'),
});
export interface ResourceStatus extends Infer<typeof ResourceStatus> {}

export const ImageVolumeStatus = struct('io.k8s.api.core.v1.ImageVolumeStatus', 'A mounted image.', {
  imageRef: req(1, string, 'The digest that was mounted.'),
});
export interface ImageVolumeStatus extends Infer<typeof ImageVolumeStatus> {}

export const VolumeStatus = struct('io.k8s.api.core.v1.VolumeStatus', 'What is known of a mounted volume.', {
  image: opt(1, ImageVolumeStatus, 'For a volume from an image.'),
});
export interface VolumeStatus extends Infer<typeof VolumeStatus> {}

export const VolumeMountStatus = struct('io.k8s.api.core.v1.VolumeMountStatus', 'A volume as it was mounted.', {
  mountPath: req(2, string, 'Path in the container.'),
  name: req(1, string, 'Name of the volume.'),
  readOnly: opt(3, boolean, 'Whether it is mounted read-only.'),
  recursiveReadOnly: opt(4, string, { pointer: true, doc: 'Whether mounts below are read-only too.' }),
  volumeStatus: opt(5, VolumeStatus, 'What is known of the volume.'),
});
export interface VolumeMountStatus extends Infer<typeof VolumeMountStatus> {}

export const ContainerStatus = struct('io.k8s.api.core.v1.ContainerStatus', 'How one container is doing.', {
  allocatedResources: opt(10, map(quantity), 'What the node has set aside for it.'),
  allocatedResourcesStatus: opt(14, list(ResourceStatus, ['name']), {
    patch: 'merge',
    key: 'name',
    doc: 'Health of the devices it got.',
  }),
  containerID: opt(8, string, 'Its ID at the runtime, as type://id.'),
  image: req(6, string, 'The image that it runs.'),
  imageID: req(7, string, 'ID of that image.'),
  lastState: opt(3, ContainerState, 'How it ended the last time.'),
  name: req(1, string, 'Name of the container.'),
  ready: req(4, boolean, 'Whether it passes its readiness probe.'),
  resources: opt(11, ResourceRequirements, 'What it runs with.'),
  restartCount: req(5, int32, 'How often it was restarted.'),
  started: opt(9, boolean, { pointer: true, doc: 'Whether it passed its startup probe.' }),
  state: opt(2, ContainerState, 'What it is doing now.'),
  stopSignal: opt(15, string, { pointer: true, doc: 'The signal that asks it to stop.' }),
  user: opt(13, ContainerUser, 'The user that its first process had.'),
  volumeMounts: opt(12, list(VolumeMountStatus, ['mountPath']), {
    patch: 'merge',
    key: 'mountPath',
    doc: 'Volumes as they were mounted.',
  }),
});
export interface ContainerStatus extends Infer<typeof ContainerStatus> {}
