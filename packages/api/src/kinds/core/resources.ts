import { type Infer, list, map, opt, quantity, req, string, struct } from '../../schema.ts';

export const ResourceClaim = struct('io.k8s.api.core.v1.ResourceClaim', '', {
  name: req(1, string),
  request: opt(2, string),
});
export interface ResourceClaim extends Infer<typeof ResourceClaim> {}

export const ResourceRequirements = struct('io.k8s.api.core.v1.ResourceRequirements', '', {
  claims: opt(3, list(ResourceClaim, ['name'])),
  limits: opt(1, map(quantity)),
  requests: opt(2, map(quantity)),
});
export interface ResourceRequirements extends Infer<typeof ResourceRequirements> {}

export const VolumeResourceRequirements = struct('io.k8s.api.core.v1.VolumeResourceRequirements', '', {
  limits: opt(1, map(quantity)),
  requests: opt(2, map(quantity)),
});
export interface VolumeResourceRequirements extends Infer<typeof VolumeResourceRequirements> {}
