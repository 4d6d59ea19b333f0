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
import { NodeConfigSource } from './nodeSpec.ts';

export const NodeAddress = struct('io.k8s.api.core.v1.NodeAddress', '', {
  address: req(2, string),
  type: req(1, string),
});
export interface NodeAddress extends Infer<typeof NodeAddress> {}

export const NodeCondition = struct('io.k8s.api.core.v1.NodeCondition', '', {
  lastHeartbeatTime: opt(3, time),
  lastTransitionTime: opt(4, time),
  message: opt(6, string),
  reason: opt(5, string),
  status: req(2, string),
  type: req(1, string),
});
export interface NodeCondition extends Infer<typeof NodeCondition> {}

export const NodeConfigStatus = struct('io.k8s.api.core.v1.NodeConfigStatus', '', {
  active: opt(2, NodeConfigSource),
  assigned: opt(1, NodeConfigSource),
  error: opt(4, string),
  lastKnownGood: opt(3, NodeConfigSource),
});
export interface NodeConfigStatus extends Infer<typeof NodeConfigStatus> {}

export const DaemonEndpoint = struct('io.k8s.api.core.v1.DaemonEndpoint', '', {
  Port: req(1, int32),
});
export interface DaemonEndpoint extends Infer<typeof DaemonEndpoint> {}

export const NodeDaemonEndpoints = struct('io.k8s.api.core.v1.NodeDaemonEndpoints', '', {
  kubeletEndpoint: opt(1, DaemonEndpoint),
});
export interface NodeDaemonEndpoints extends Infer<typeof NodeDaemonEndpoints> {}

export const NodeFeatures = struct('io.k8s.api.core.v1.NodeFeatures', '', {
  supplementalGroupsPolicy: opt(1, boolean),
});
export interface NodeFeatures extends Infer<typeof NodeFeatures> {}

export const NodeRuntimeHandlerFeatures = struct('io.k8s.api.core.v1.NodeRuntimeHandlerFeatures', '', {
  recursiveReadOnlyMounts: opt(1, boolean),
  userNamespaces: opt(2, boolean),
});
export interface NodeRuntimeHandlerFeatures extends Infer<typeof NodeRuntimeHandlerFeatures> {}

export const NodeRuntimeHandler = struct('io.k8s.api.core.v1.NodeRuntimeHandler', '', {
  features: opt(2, NodeRuntimeHandlerFeatures),
  name: opt(1, string),
});
export interface NodeRuntimeHandler extends Infer<typeof NodeRuntimeHandler> {}

export const NodeSwapStatus = struct('io.k8s.api.core.v1.NodeSwapStatus', '', {
  capacity: opt(1, int64),
});
export interface NodeSwapStatus extends Infer<typeof NodeSwapStatus> {}

export const NodeSystemInfo = struct('io.k8s.api.core.v1.NodeSystemInfo', '', {
  architecture: req(10, string),
  bootID: req(3, string),
  containerRuntimeVersion: req(6, string),
  kernelVersion: req(4, string),
  kubeProxyVersion: req(8, string),
  kubeletVersion: req(7, string),
  machineID: req(1, string),
  operatingSystem: req(9, string),
  osImage: req(5, string),
  swap: opt(11, NodeSwapStatus),
  systemUUID: req(2, string),
});
export interface NodeSystemInfo extends Infer<typeof NodeSystemInfo> {}

export const AttachedVolume = struct('io.k8s.api.core.v1.AttachedVolume', '', {
  devicePath: req(2, string),
  name: req(1, string),
});
export interface AttachedVolume extends Infer<typeof AttachedVolume> {}

export const ContainerImage = struct('io.k8s.api.core.v1.ContainerImage', '', {
  names: opt(1, list(string, 'atomic')),
  sizeBytes: opt(2, int64),
});
export interface ContainerImage extends Infer<typeof ContainerImage> {}

export const NodeStatus = struct('io.k8s.api.core.v1.NodeStatus', '', {
  addresses: opt(5, list(NodeAddress, ['type']), { patch: 'merge', key: 'type' }),
  allocatable: opt(2, map(quantity)),
  capacity: opt(1, map(quantity)),
  conditions: opt(4, list(NodeCondition, ['type']), { patch: 'merge', key: 'type' }),
  config: opt(11, NodeConfigStatus),
  daemonEndpoints: opt(6, NodeDaemonEndpoints),
  declaredFeatures: opt(14, list(string, 'atomic')),
  features: opt(13, NodeFeatures),
  images: opt(8, list(ContainerImage, 'atomic')),
  nodeInfo: opt(7, NodeSystemInfo),
  phase: opt(3, string),
  runtimeHandlers: opt(12, list(NodeRuntimeHandler, 'atomic')),
  volumesAttached: opt(10, list(AttachedVolume, 'atomic')),
  volumesInUse: opt(9, list(string, 'atomic')),
});
export interface NodeStatus extends Infer<typeof NodeStatus> {}
