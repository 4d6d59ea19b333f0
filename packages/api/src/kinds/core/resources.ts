import { type Infer, list, map, opt, quantity, req, string, struct } from '../../schema.ts';

export const ResourceClaim = struct('io.k8s.api.core.v1.ResourceClaim', 'Names a claim of the pod.', {
  name: req(1, string, 'Name of the claim in the pod.'),
  request: opt(2, string, 'One request of the claim; all of them when empty.'),
});
export interface ResourceClaim extends Infer<typeof ResourceClaim> {}

export const ResourceRequirements = struct(
  'io.k8s.api.core.v1.ResourceRequirements',
  'What a container needs, and what it may use at most.',
  {
    claims: opt(3, list(ResourceClaim, ['name']), 'Claims of the pod that this container uses.'),
    limits: opt(1, map(quantity), 'The most that may be used.'),
    requests: opt(2, map(quantity), 'What is set aside. Follows the limits when missing.'),
  },
);
export interface ResourceRequirements extends Infer<typeof ResourceRequirements> {}

export const VolumeResourceRequirements = struct(
  'io.k8s.api.core.v1.VolumeResourceRequirements',
  'How much storage is wanted.',
  {
    limits: opt(1, map(quantity), 'The most that the volume may have.'),
    requests: opt(2, map(quantity), 'The least that the volume must have.'),
  },
);
export interface VolumeResourceRequirements extends Infer<typeof VolumeResourceRequirements> {}
