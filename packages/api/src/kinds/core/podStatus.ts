import { type Infer, int64, list, map, opt, quantity, req, string, struct, time } from '../../schema.ts';
import { ContainerStatus } from './containerStatus.ts';
import { ResourceRequirements } from './resources.ts';

export const PodCondition = struct('io.k8s.api.core.v1.PodCondition', '', {
  lastProbeTime: opt(3, time),
  lastTransitionTime: opt(4, time),
  message: opt(6, string),
  observedGeneration: opt(7, int64),
  reason: opt(5, string),
  status: req(2, string),
  type: req(1, string),
});
export interface PodCondition extends Infer<typeof PodCondition> {}

export const PodIP = struct('io.k8s.api.core.v1.PodIP', '', {
  ip: req(1, string),
});
export interface PodIP extends Infer<typeof PodIP> {}

export const HostIP = struct('io.k8s.api.core.v1.HostIP', '', {
  ip: req(1, string),
});
export interface HostIP extends Infer<typeof HostIP> {}

export const PodResourceClaimStatus = struct('io.k8s.api.core.v1.PodResourceClaimStatus', '', {
  name: req(1, string),
  resourceClaimName: opt(2, string),
});
export interface PodResourceClaimStatus extends Infer<typeof PodResourceClaimStatus> {}

export const ContainerExtendedResourceRequest = struct('io.k8s.api.core.v1.ContainerExtendedResourceRequest', '', {
  containerName: req(1, string),
  requestName: req(3, string),
  resourceName: req(2, string),
});
export interface ContainerExtendedResourceRequest extends Infer<typeof ContainerExtendedResourceRequest> {}

export const PodExtendedResourceClaimStatus = struct('io.k8s.api.core.v1.PodExtendedResourceClaimStatus', '', {
  requestMappings: req(1, list(ContainerExtendedResourceRequest, 'atomic')),
  resourceClaimName: req(2, string),
});
export interface PodExtendedResourceClaimStatus extends Infer<typeof PodExtendedResourceClaimStatus> {}

export const NodeAllocatableResourceClaimStatus = struct('io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus', '', {
  containers: opt(2, list(string, 'set')),
  resourceClaimName: req(1, string),
  resources: req(3, map(quantity)),
});
export interface NodeAllocatableResourceClaimStatus extends Infer<typeof NodeAllocatableResourceClaimStatus> {}

export const PodStatus = struct('io.k8s.api.core.v1.PodStatus', '', {
  allocatedResources: opt(19, map(quantity)),
  conditions: opt(2, list(PodCondition, ['type']), { patch: 'merge', key: 'type' }),
  containerStatuses: opt(8, list(ContainerStatus, 'atomic')),
  ephemeralContainerStatuses: opt(13, list(ContainerStatus, 'atomic')),
  extendedResourceClaimStatus: opt(18, PodExtendedResourceClaimStatus),
  hostIP: opt(5, string),
  hostIPs: opt(16, list(HostIP, 'atomic'), { patch: 'merge', key: 'ip' }),
  initContainerStatuses: opt(10, list(ContainerStatus, 'atomic')),
  message: opt(3, string),
  nodeAllocatableResourceClaimStatuses: opt(21, list(NodeAllocatableResourceClaimStatus, 'atomic')),
  nominatedNodeName: opt(11, string),
  observedGeneration: opt(17, int64),
  phase: opt(1, string),
  podIP: opt(6, string),
  podIPs: opt(12, list(PodIP, ['ip']), { patch: 'merge', key: 'ip' }),
  qosClass: opt(9, string),
  reason: opt(4, string),
  resize: opt(14, string),
  resourceClaimStatuses: opt(15, list(PodResourceClaimStatus, ['name']), { patch: 'merge,retainKeys', key: 'name' }),
  resources: opt(20, ResourceRequirements),
  startTime: opt(7, time),
});
export interface PodStatus extends Infer<typeof PodStatus> {}
