import { type Infer, int64, list, map, opt, quantity, req, string, struct, time } from '../../schema.ts';
import { ContainerStatus } from './containerStatus.ts';
import { ResourceRequirements } from './resources.ts';

export const PodCondition = struct('io.k8s.api.core.v1.PodCondition', 'One observation about a pod.', {
  lastProbeTime: opt(3, time, 'When the condition was last checked.'),
  lastTransitionTime: opt(4, time, 'When the status of the condition last changed.'),
  message: opt(6, string, 'The same in words, for people.'),
  observedGeneration: opt(7, int64, 'The generation that the condition speaks of.'),
  reason: opt(5, string, 'Why, in one CamelCase word.'),
  status: req(2, string, 'True, False or Unknown.'),
  type: req(1, string, 'What the condition is about.'),
});
export interface PodCondition extends Infer<typeof PodCondition> {}

export const PodIP = struct('io.k8s.api.core.v1.PodIP', 'One address of a pod.', {
  ip: req(1, string, 'The address.'),
});
export interface PodIP extends Infer<typeof PodIP> {}

export const HostIP = struct('io.k8s.api.core.v1.HostIP', 'One address of a node.', {
  ip: req(1, string, 'The address.'),
});
export interface HostIP extends Infer<typeof HostIP> {}

export const PodResourceClaimStatus = struct('io.k8s.api.core.v1.PodResourceClaimStatus', 'A claim made for a pod.', {
  name: req(1, string, 'Name in the pod.'),
  resourceClaimName: opt(2, string, { pointer: true, doc: 'Name of the claim.' }),
});
export interface PodResourceClaimStatus extends Infer<typeof PodResourceClaimStatus> {}

export const ContainerExtendedResourceRequest = struct(
  'io.k8s.api.core.v1.ContainerExtendedResourceRequest',
  'Which request of a claim serves a container.',
  {
    containerName: req(1, string, 'The container.'),
    requestName: req(3, string, 'The request.'),
    resourceName: req(2, string, 'The extended resource.'),
  },
);
export interface ContainerExtendedResourceRequest extends Infer<typeof ContainerExtendedResourceRequest> {}

export const PodExtendedResourceClaimStatus = struct(
  'io.k8s.api.core.v1.PodExtendedResourceClaimStatus',
  "The claim made for a pod's extended resources.",
  {
    requestMappings: req(1, list(ContainerExtendedResourceRequest, 'atomic'), 'Which request serves which container.'),
    resourceClaimName: req(2, string, 'Name of the claim.'),
  },
);
export interface PodExtendedResourceClaimStatus extends Infer<typeof PodExtendedResourceClaimStatus> {}

export const NodeAllocatableResourceClaimStatus = struct(
  'io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus',
  "A claim that takes from the node's own resources.",
  {
    containers: opt(2, list(string, 'set'), 'Containers that use it.'),
    resourceClaimName: req(1, string, 'Name of the claim.'),
    resources: req(3, map(quantity), 'What it takes.'),
  },
);
export interface NodeAllocatableResourceClaimStatus extends Infer<typeof NodeAllocatableResourceClaimStatus> {}

export const PodStatus = struct('io.k8s.api.core.v1.PodStatus', 'How a pod is doing.', {
  allocatedResources: opt(19, map(quantity), 'What the node has set aside for the pod.'),
  conditions: opt(2, list(PodCondition, ['type']), {
    patch: 'merge',
    key: 'type',
    doc: 'Observations about the object, one a type.',
  }),
  containerStatuses: opt(8, list(ContainerStatus, 'atomic'), 'How each container is doing.'),
  ephemeralContainerStatuses: opt(13, list(ContainerStatus, 'atomic'), 'How each ephemeral container is doing.'),
  extendedResourceClaimStatus: opt(18, PodExtendedResourceClaimStatus, 'The claim made for its extended resources.'),
  hostIP: opt(5, string, 'Address of its node.'),
  hostIPs: opt(16, list(HostIP, 'atomic'), { patch: 'merge', key: 'ip', doc: 'Addresses of its node.' }),
  initContainerStatuses: opt(10, list(ContainerStatus, 'atomic'), 'How each init container is doing.'),
  message: opt(3, string, 'Details, for people.'),
  nodeAllocatableResourceClaimStatuses: opt(
    21,
    list(NodeAllocatableResourceClaimStatus, 'atomic'),
    "Claims that take from the node's own resources.",
  ),
  nominatedNodeName: opt(11, string, 'The node where room is being made for it.'),
  observedGeneration: opt(17, int64, 'The generation that this was observed at.'),
  phase: opt(1, string, 'Pending, Running, Succeeded, Failed or Unknown.'),
  podIP: opt(6, string, 'Its address.'),
  podIPs: opt(12, list(PodIP, ['ip']), {
    patch: 'merge',
    key: 'ip',
    doc: 'Its addresses, at most one of each family.',
  }),
  qosClass: opt(9, string, 'Guaranteed, Burstable or BestEffort.'),
  reason: opt(4, string, 'Why, in one CamelCase word.'),
  resize: opt(14, string, 'How far a resize has come.'),
  resourceClaimStatuses: opt(15, list(PodResourceClaimStatus, ['name']), {
    patch: 'merge,retainKeys',
    key: 'name',
    doc: 'The claims made for it.',
  }),
  resources: opt(20, ResourceRequirements, 'What the pod as a whole runs with.'),
  startTime: opt(7, time, 'When the node took it on.'),
});
export interface PodStatus extends Infer<typeof PodStatus> {}
