import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';
import { FieldSelectorRequirement, LabelSelectorRequirement } from '../meta/selectors.ts';

export const FieldSelectorAttributes = struct('io.k8s.api.authorization.v1.FieldSelectorAttributes', '', {
  rawSelector: opt(1, string),
  requirements: opt(2, list(FieldSelectorRequirement, 'atomic')),
});
export interface FieldSelectorAttributes extends Infer<typeof FieldSelectorAttributes> {}

export const LabelSelectorAttributes = struct('io.k8s.api.authorization.v1.LabelSelectorAttributes', '', {
  rawSelector: opt(1, string),
  requirements: opt(2, list(LabelSelectorRequirement, 'atomic')),
});
export interface LabelSelectorAttributes extends Infer<typeof LabelSelectorAttributes> {}

export const NonResourceAttributes = struct('io.k8s.api.authorization.v1.NonResourceAttributes', '', {
  path: opt(1, string),
  verb: opt(2, string),
});
export interface NonResourceAttributes extends Infer<typeof NonResourceAttributes> {}

export const ResourceAttributes = struct('io.k8s.api.authorization.v1.ResourceAttributes', '', {
  fieldSelector: opt(8, FieldSelectorAttributes),
  group: opt(3, string),
  labelSelector: opt(9, LabelSelectorAttributes),
  name: opt(7, string),
  namespace: opt(1, string),
  resource: opt(5, string),
  subresource: opt(6, string),
  verb: opt(2, string),
  version: opt(4, string),
});
export interface ResourceAttributes extends Infer<typeof ResourceAttributes> {}

export const SubjectAccessReviewStatus = struct('io.k8s.api.authorization.v1.SubjectAccessReviewStatus', '', {
  allowed: req(1, boolean),
  denied: opt(4, boolean),
  evaluationError: opt(3, string),
  reason: opt(2, string),
});
export interface SubjectAccessReviewStatus extends Infer<typeof SubjectAccessReviewStatus> {}
