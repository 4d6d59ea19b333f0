import { type Infer, int64, list, map, opt, quantity, req, string, struct, time } from '../../schema.ts';
import { ContainerStatus } from './containerStatus.ts';
import { ResourceRequirements } from './resources.ts';

export const PodCondition = struct('io.k8s.api.core.v1.PodCondition', 'A condition of a pod, such as Ready.', {
  lastProbeTime: opt(3, time, 'When the condition was last checked.'),
  lastTransitionTime: opt(4, time, 'When the status of the condition last changed.'),
  message: opt(6, string, 'Human-readable details about the last transition.'),
  observedGeneration: opt(7, int64, 'The generation that the condition speaks of.'),
  reason: opt(5, string, 'Reason for the last transition as one CamelCase word.'),
  status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
  type: req(1, string, 'Name of the condition, such as Ready.'),
});
export interface PodCondition extends Infer<typeof PodCondition> {}

export const PodIP = struct('io.k8s.api.core.v1.PodIP', 'An IP address of a pod.', {
  ip: req(1, string, 'IP address of the pod.'),
});
export interface PodIP extends Infer<typeof PodIP> {}

export const HostIP = struct('io.k8s.api.core.v1.HostIP', 'An IP address of a node.', {
  ip: req(1, string, 'IP address of the node.'),
});
export interface HostIP extends Infer<typeof HostIP> {}

export const PodResourceClaimStatus = struct(
  'io.k8s.api.core.v1.PodResourceClaimStatus',
  'A ResourceClaim that was created for a pod.',
  {
    name: req(1, string, 'Name of the claim in spec.resourceClaims.'),
    resourceClaimName: opt(2, string, { pointer: true, doc: 'Name of the claim.' }),
  },
);
export interface PodResourceClaimStatus extends Infer<typeof PodResourceClaimStatus> {}

export const ContainerExtendedResourceRequest = struct(
  'io.k8s.api.core.v1.ContainerExtendedResourceRequest',
  "Maps a container's extended resource to a request of a claim.",
  {
    containerName: req(1, string, 'Name of the container.'),
    requestName: req(3, string, 'Name of the request in the claim.'),
    resourceName: req(2, string, 'Name of the extended resource.'),
  },
);
export interface ContainerExtendedResourceRequest extends Infer<typeof ContainerExtendedResourceRequest> {}

export const PodExtendedResourceClaimStatus = struct(
  'io.k8s.api.core.v1.PodExtendedResourceClaimStatus',
  'The ResourceClaim that was created for extended resources.',
  {
    requestMappings: req(
      1,
      list(ContainerExtendedResourceRequest, 'atomic'),
      'Requests of the claim and the containers they serve.',
    ),
    resourceClaimName: req(2, string, 'Name of the claim.'),
  },
);
export interface PodExtendedResourceClaimStatus extends Infer<typeof PodExtendedResourceClaimStatus> {}

export const NodeAllocatableResourceClaimStatus = struct(
  'io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus',
  'A ResourceClaim that uses resources of the node itself.',
  {
    containers: opt(2, list(string, 'set'), 'Names of the containers that use the claim.'),
    resourceClaimName: req(1, string, 'Name of the claim.'),
    resources: req(3, map(quantity), 'Amount of each resource that the claim uses.'),
  },
);
export interface NodeAllocatableResourceClaimStatus extends Infer<typeof NodeAllocatableResourceClaimStatus> {}

export const PodStatus = struct('io.k8s.api.core.v1.PodStatus', 'Observed state of a pod.', {
  allocatedResources: opt(19, map(quantity), 'Resources that the node has reserved for the pod.'),
  conditions: opt(2, list(PodCondition, ['type']), {
    patch: 'merge',
    key: 'type',
    doc: 'Conditions of the pod, such as Ready.',
  }),
  containerStatuses: opt(8, list(ContainerStatus, 'atomic'), 'Observed state of each container.'),
  ephemeralContainerStatuses: opt(13, list(ContainerStatus, 'atomic'), 'Status of each ephemeral container.'),
  extendedResourceClaimStatus: opt(
    18,
    PodExtendedResourceClaimStatus,
    'The ResourceClaim that was created for extended resources.',
  ),
  hostIP: opt(5, string, "IP address of the pod's node."),
  hostIPs: opt(16, list(HostIP, 'atomic'), { patch: 'merge', key: 'ip', doc: "IP addresses of the pod's node." }),
  initContainerStatuses: opt(10, list(ContainerStatus, 'atomic'), 'Status of each init container.'),
  message: opt(3, string, 'Human-readable details about the phase.'),
  nodeAllocatableResourceClaimStatuses: opt(
    21,
    list(NodeAllocatableResourceClaimStatus, 'atomic'),
    "Claims that take from the node's own resources.",
  ),
  nominatedNodeName: opt(11, string, 'Node on which room is being made for the pod.'),
  observedGeneration: opt(17, int64, 'The generation that this was observed at.'),
  phase: opt(1, string, 'Pending, Running, Succeeded, Failed or Unknown.'),
  podIP: opt(6, string, 'Primary IP address of the pod.'),
  podIPs: opt(12, list(PodIP, ['ip']), {
    patch: 'merge',
    key: 'ip',
    doc: 'IP addresses of the pod, at most one of each family.',
  }),
  qosClass: opt(9, string, 'Quality of service class: Guaranteed, Burstable or BestEffort.'),
  reason: opt(4, string, 'Reason for the phase as one CamelCase word.'),
  resize: opt(14, string, 'State of a resize of the pod.'),
  resourceClaimStatuses: opt(15, list(PodResourceClaimStatus, ['name']), {
    patch: 'merge,retainKeys',
    key: 'name',
    doc: 'ResourceClaims that were created for the pod.',
  }),
  resources: opt(20, ResourceRequirements, 'What the pod as a whole runs with.'),
  startTime: opt(7, time, 'Time at which the node accepted the pod.'),
});
export interface PodStatus extends Infer<typeof PodStatus> {}
