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

export const NodeAddress = struct('io.k8s.api.core.v1.NodeAddress', 'One address or name of a node.', {
  address: req(2, string, 'The address or name.'),
  type: req(1, string, 'InternalIP, ExternalIP, Hostname, InternalDNS or ExternalDNS.'),
});
export interface NodeAddress extends Infer<typeof NodeAddress> {}

export const NodeCondition = struct('io.k8s.api.core.v1.NodeCondition', 'One observation about a node.', {
  lastHeartbeatTime: opt(3, time, 'When it was last confirmed.'),
  lastTransitionTime: opt(4, time, 'When the status of the condition last changed.'),
  message: opt(6, string, 'The same in words, for people.'),
  reason: opt(5, string, 'Why, in one CamelCase word.'),
  status: req(2, string, 'True, False or Unknown.'),
  type: req(1, string, 'What the condition is about.'),
});
export interface NodeCondition extends Infer<typeof NodeCondition> {}

export const NodeConfigStatus = struct(
  'io.k8s.api.core.v1.NodeConfigStatus',
  'Configuration of a node. No longer used.',
  {
    active: opt(2, NodeConfigSource, 'In use.'),
    assigned: opt(1, NodeConfigSource, 'Meant to be used.'),
    error: opt(4, string, 'What went wrong.'),
    lastKnownGood: opt(3, NodeConfigSource, 'Last one that worked.'),
  },
);
export interface NodeConfigStatus extends Infer<typeof NodeConfigStatus> {}

export const DaemonEndpoint = struct('io.k8s.api.core.v1.DaemonEndpoint', 'A port of an agent.', {
  Port: req(1, int32, 'The port.'),
});
export interface DaemonEndpoint extends Infer<typeof DaemonEndpoint> {}

export const NodeDaemonEndpoints = struct('io.k8s.api.core.v1.NodeDaemonEndpoints', "Where a node's agents answer.", {
  kubeletEndpoint: opt(1, DaemonEndpoint, 'The node agent.'),
});
export interface NodeDaemonEndpoints extends Infer<typeof NodeDaemonEndpoints> {}

export const NodeFeatures = struct('io.k8s.api.core.v1.NodeFeatures', "Features of a node's runtime.", {
  supplementalGroupsPolicy: opt(1, boolean, { pointer: true, doc: 'Whether it knows policies for further groups.' }),
});
export interface NodeFeatures extends Infer<typeof NodeFeatures> {}

export const NodeRuntimeHandlerFeatures = struct(
  'io.k8s.api.core.v1.NodeRuntimeHandlerFeatures',
  'What a runtime can do.',
  {
    recursiveReadOnlyMounts: opt(1, boolean, {
      pointer: true,
      doc: 'Whether mounts can be read-only all the way down.',
    }),
    userNamespaces: opt(2, boolean, { pointer: true, doc: 'Whether pods can have users of their own.' }),
  },
);
export interface NodeRuntimeHandlerFeatures extends Infer<typeof NodeRuntimeHandlerFeatures> {}

export const NodeRuntimeHandler = struct('io.k8s.api.core.v1.NodeRuntimeHandler', 'A runtime that pods may choose.', {
  features: opt(2, NodeRuntimeHandlerFeatures, 'What it can do.'),
  name: opt(1, string, 'Name of the runtime; the default when empty.'),
});
export interface NodeRuntimeHandler extends Infer<typeof NodeRuntimeHandler> {}

export const NodeSwapStatus = struct('io.k8s.api.core.v1.NodeSwapStatus', 'Swap space of a node.', {
  capacity: opt(1, int64, { pointer: true, doc: 'Bytes of swap.' }),
});
export interface NodeSwapStatus extends Infer<typeof NodeSwapStatus> {}

export const NodeSystemInfo = struct('io.k8s.api.core.v1.NodeSystemInfo', 'Machine and software of a node.', {
  architecture: req(10, string, 'Processor architecture.'),
  bootID: req(3, string, 'Changes with every boot.'),
  containerRuntimeVersion: req(6, string, 'Runtime and its version.'),
  kernelVersion: req(4, string, 'Version of the kernel.'),
  kubeProxyVersion: req(8, string, 'No longer used.'),
  kubeletVersion: req(7, string, 'Version of the node agent.'),
  machineID: req(1, string, 'ID of the installation.'),
  operatingSystem: req(9, string, 'linux or windows.'),
  osImage: req(5, string, 'Name of the distribution.'),
  swap: opt(11, NodeSwapStatus, 'Swap space.'),
  systemUUID: req(2, string, 'UUID of the machine.'),
});
export interface NodeSystemInfo extends Infer<typeof NodeSystemInfo> {}

export const AttachedVolume = struct('io.k8s.api.core.v1.AttachedVolume', 'A volume that is attached to a node.', {
  devicePath: req(2, string, 'Path of the device.'),
  name: req(1, string, 'Name of the volume.'),
});
export interface AttachedVolume extends Infer<typeof AttachedVolume> {}

export const ContainerImage = struct('io.k8s.api.core.v1.ContainerImage', 'An image that is on a node.', {
  names: opt(1, list(string, 'atomic'), 'Names that it goes by.'),
  sizeBytes: opt(2, int64, 'Its size.'),
});
export interface ContainerImage extends Infer<typeof ContainerImage> {}

export const NodeStatus = struct('io.k8s.api.core.v1.NodeStatus', 'How a node is doing, and what it has.', {
  addresses: opt(5, list(NodeAddress, ['type']), {
    patch: 'merge',
    key: 'type',
    doc: 'Addresses and names of the node.',
  }),
  allocatable: opt(2, map(quantity), 'What pods may use.'),
  capacity: opt(1, map(quantity), 'What there is.'),
  conditions: opt(4, list(NodeCondition, ['type']), {
    patch: 'merge',
    key: 'type',
    doc: 'Observations about the object, one a type.',
  }),
  config: opt(11, NodeConfigStatus, 'No longer used.'),
  daemonEndpoints: opt(6, NodeDaemonEndpoints, 'Where the node agent answers.'),
  declaredFeatures: opt(14, list(string, 'atomic'), 'Features that the node says it has.'),
  features: opt(13, NodeFeatures, 'Features of the runtime.'),
  images: opt(8, list(ContainerImage, 'atomic'), 'Images that are on the node.'),
  nodeInfo: opt(7, NodeSystemInfo, 'Machine and software.'),
  phase: opt(3, string, 'No longer used.'),
  runtimeHandlers: opt(12, list(NodeRuntimeHandler, 'atomic'), 'Runtimes that pods may choose.'),
  volumesAttached: opt(10, list(AttachedVolume, 'atomic'), 'Volumes that are attached.'),
  volumesInUse: opt(9, list(string, 'atomic'), 'Volumes that are mounted.'),
});
export interface NodeStatus extends Infer<typeof NodeStatus> {}
