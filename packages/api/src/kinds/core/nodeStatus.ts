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

export const NodeAddress = struct('io.k8s.api.core.v1.NodeAddress', 'An address or name of a node.', {
  address: req(2, string, 'The address or name.'),
  type: req(1, string, 'InternalIP, ExternalIP, Hostname, InternalDNS or ExternalDNS.'),
});
export interface NodeAddress extends Infer<typeof NodeAddress> {}

export const NodeCondition = struct('io.k8s.api.core.v1.NodeCondition', 'A condition of a node, such as Ready.', {
  lastHeartbeatTime: opt(3, time, "Time of the node's last report about the condition."),
  lastTransitionTime: opt(4, time, 'When the status of the condition last changed.'),
  message: opt(6, string, 'Human-readable details about the last transition.'),
  reason: opt(5, string, 'Reason for the last transition as one CamelCase word.'),
  status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
  type: req(1, string, 'Name of the condition, such as Ready.'),
});
export interface NodeCondition extends Infer<typeof NodeCondition> {}

export const NodeConfigStatus = struct(
  'io.k8s.api.core.v1.NodeConfigStatus',
  'Dynamic configuration of a node. No longer supported.',
  {
    active: opt(2, NodeConfigSource, 'Configuration that the node uses.'),
    assigned: opt(1, NodeConfigSource, 'Configuration that the node should use.'),
    error: opt(4, string, 'Error that occurred with the configuration.'),
    lastKnownGood: opt(3, NodeConfigSource, 'Last configuration that worked.'),
  },
);
export interface NodeConfigStatus extends Infer<typeof NodeConfigStatus> {}

export const DaemonEndpoint = struct('io.k8s.api.core.v1.DaemonEndpoint', 'Port of a daemon on a node.', {
  Port: req(1, int32, 'Number of the port.'),
});
export interface DaemonEndpoint extends Infer<typeof DaemonEndpoint> {}

export const NodeDaemonEndpoints = struct('io.k8s.api.core.v1.NodeDaemonEndpoints', 'Ports of the daemons on a node.', {
  kubeletEndpoint: opt(1, DaemonEndpoint, 'Port of the node agent (kubelet).'),
});
export interface NodeDaemonEndpoints extends Infer<typeof NodeDaemonEndpoints> {}

export const NodeFeatures = struct('io.k8s.api.core.v1.NodeFeatures', "Features of a node's container runtime.", {
  supplementalGroupsPolicy: opt(1, boolean, { pointer: true, doc: 'Whether it knows policies for further groups.' }),
});
export interface NodeFeatures extends Infer<typeof NodeFeatures> {}

export const NodeRuntimeHandlerFeatures = struct(
  'io.k8s.api.core.v1.NodeRuntimeHandlerFeatures',
  'Features of a runtime handler.',
  {
    recursiveReadOnlyMounts: opt(1, boolean, {
      pointer: true,
      doc: 'Whether mounts can be read-only all the way down.',
    }),
    userNamespaces: opt(2, boolean, { pointer: true, doc: 'Whether pods can have users of their own.' }),
  },
);
export interface NodeRuntimeHandlerFeatures extends Infer<typeof NodeRuntimeHandlerFeatures> {}

export const NodeRuntimeHandler = struct(
  'io.k8s.api.core.v1.NodeRuntimeHandler',
  'A runtime handler that pods can select with a RuntimeClass.',
  {
    features: opt(2, NodeRuntimeHandlerFeatures, 'Features that the handler supports.'),
    name: opt(1, string, 'Name of the runtime handler. Empty means the default.'),
  },
);
export interface NodeRuntimeHandler extends Infer<typeof NodeRuntimeHandler> {}

export const NodeSwapStatus = struct('io.k8s.api.core.v1.NodeSwapStatus', 'Swap space of a node.', {
  capacity: opt(1, int64, { pointer: true, doc: 'Amount of swap in bytes.' }),
});
export interface NodeSwapStatus extends Infer<typeof NodeSwapStatus> {}

export const NodeSystemInfo = struct('io.k8s.api.core.v1.NodeSystemInfo', 'Hardware and software of a node.', {
  architecture: req(10, string, 'CPU architecture of the node, such as amd64.'),
  bootID: req(3, string, 'ID that changes with every boot.'),
  containerRuntimeVersion: req(6, string, 'Container runtime and its version.'),
  kernelVersion: req(4, string, 'Version of the kernel.'),
  kubeProxyVersion: req(8, string, 'No longer supported. Always empty.'),
  kubeletVersion: req(7, string, 'Version of the node agent (kubelet).'),
  machineID: req(1, string, "ID of the operating system's installation, from /etc/machine-id."),
  operatingSystem: req(9, string, 'Operating system of the node: linux or windows.'),
  osImage: req(5, string, "Name and version of the operating system's distribution."),
  swap: opt(11, NodeSwapStatus, 'Swap space of the node.'),
  systemUUID: req(2, string, 'UUID of the machine, from its firmware.'),
});
export interface NodeSystemInfo extends Infer<typeof NodeSystemInfo> {}

export const AttachedVolume = struct('io.k8s.api.core.v1.AttachedVolume', 'A volume that is attached to a node.', {
  devicePath: req(2, string, 'Path of the device.'),
  name: req(1, string, 'Name of the volume.'),
});
export interface AttachedVolume extends Infer<typeof AttachedVolume> {}

export const ContainerImage = struct(
  'io.k8s.api.core.v1.ContainerImage',
  'A container image that is present on a node.',
  {
    names: opt(1, list(string, 'atomic'), 'Names by which the image is known.'),
    sizeBytes: opt(2, int64, 'Size of the image in bytes.'),
  },
);
export interface ContainerImage extends Infer<typeof ContainerImage> {}

export const NodeStatus = struct('io.k8s.api.core.v1.NodeStatus', 'Observed state and resources of a node.', {
  addresses: opt(5, list(NodeAddress, ['type']), {
    patch: 'merge',
    key: 'type',
    doc: 'Addresses and names of the node.',
  }),
  allocatable: opt(2, map(quantity), 'Amount of each resource that pods may use.'),
  capacity: opt(1, map(quantity), 'Total amount of each resource.'),
  conditions: opt(4, list(NodeCondition, ['type']), {
    patch: 'merge',
    key: 'type',
    doc: 'Conditions of the object.',
  }),
  config: opt(11, NodeConfigStatus, 'No longer supported and ignored.'),
  daemonEndpoints: opt(6, NodeDaemonEndpoints, "Ports of the node's daemons."),
  declaredFeatures: opt(14, list(string, 'atomic'), 'Features that the node says it has.'),
  features: opt(13, NodeFeatures, 'Features of the container runtime.'),
  images: opt(8, list(ContainerImage, 'atomic'), 'Images that are on the node.'),
  nodeInfo: opt(7, NodeSystemInfo, 'Hardware and software of the node.'),
  phase: opt(3, string, 'No longer supported and ignored.'),
  runtimeHandlers: opt(12, list(NodeRuntimeHandler, 'atomic'), 'Runtime handlers that pods can select.'),
  volumesAttached: opt(10, list(AttachedVolume, 'atomic'), 'Volumes that are attached to the node.'),
  volumesInUse: opt(9, list(string, 'atomic'), 'Volumes that the node has mounted.'),
});
export interface NodeStatus extends Infer<typeof NodeStatus> {}
