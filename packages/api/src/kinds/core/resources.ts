import { type Infer, list, map, opt, quantity, req, string, struct } from '../../schema.ts';

export const ContainerClaim = struct('io.k8s.api.core.v1.ResourceClaim', 'Refers to a claim in spec.resourceClaims.', {
  name: req(1, string, 'Name of the claim in the pod.'),
  request: opt(2, string, 'Name of a request in the claim. If empty, all of them.'),
});
export interface ContainerClaim extends Infer<typeof ContainerClaim> {}

export const ResourceRequirements = struct(
  'io.k8s.api.core.v1.ResourceRequirements',
  'Resources that a container requests, and the limits on their use.',
  {
    claims: opt(3, list(ContainerClaim, ['name']), 'Claims of the pod that this container uses.'),
    limits: opt(1, map(quantity), 'Maximum amounts that may be used.'),
    requests: opt(2, map(quantity), 'Minimum amount of each resource. Defaults to the limits.'),
  },
);
export interface ResourceRequirements extends Infer<typeof ResourceRequirements> {}

export const VolumeResourceRequirements = struct(
  'io.k8s.api.core.v1.VolumeResourceRequirements',
  'Amount of storage that a claim requests.',
  {
    limits: opt(1, map(quantity), 'The most that the volume may have.'),
    requests: opt(2, map(quantity), 'The least that the volume must have.'),
  },
);
export interface VolumeResourceRequirements extends Infer<typeof VolumeResourceRequirements> {}
