import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, map, opt, req, string, struct } from '../../schema.ts';
import { NonResourceAttributes, ResourceAttributes, SubjectAccessReviewStatus } from './attributes.ts';

export const SubjectAccessReviewSpec = struct('io.k8s.api.authorization.v1.SubjectAccessReviewSpec', '', {
  extra: opt(5, map({ ...list(string), protoMessage: 'strings' })),
  groups: opt(4, list(string, 'atomic')),
  nonResourceAttributes: opt(2, NonResourceAttributes),
  resourceAttributes: opt(1, ResourceAttributes),
  uid: opt(6, string),
  user: opt(3, string),
});
export interface SubjectAccessReviewSpec extends Infer<typeof SubjectAccessReviewSpec> {}

export const SubjectAccessReviewSchema = struct('io.k8s.api.authorization.v1.SubjectAccessReview', '', {
  ...objectFields,
  spec: req(2, SubjectAccessReviewSpec),
  status: opt(3, SubjectAccessReviewStatus),
});
export interface SubjectAccessReview extends Infer<typeof SubjectAccessReviewSchema> {}

export const SubjectAccessReview = defineKind<SubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
  schema: SubjectAccessReviewSchema,
  verbs: ['create'],
  status: false,
  generation: false,
  virtual: true,
});
