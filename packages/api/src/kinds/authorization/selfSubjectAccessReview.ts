import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, opt, req, struct } from '../../schema.ts';
import { NonResourceAttributes, ResourceAttributes, SubjectAccessReviewStatus } from './attributes.ts';

export const SelfSubjectAccessReviewSpec = struct(
  'io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec',
  'The action to check.',
  {
    nonResourceAttributes: opt(2, NonResourceAttributes, 'A path that is not a resource.'),
    resourceAttributes: opt(1, ResourceAttributes, 'Request for a resource that is checked.'),
  },
);
export interface SelfSubjectAccessReviewSpec extends Infer<typeof SelfSubjectAccessReviewSpec> {}

export const SelfSubjectAccessReviewSchema = struct(
  'io.k8s.api.authorization.v1.SelfSubjectAccessReview',
  'Checks whether the user of the request may perform an action.',
  {
    ...objectFields,
    spec: req(2, SelfSubjectAccessReviewSpec, 'The action to check.'),
    status: opt(3, SubjectAccessReviewStatus, 'Observed state of the SelfSubjectAccessReview. The system writes it.'),
  },
);
export interface SelfSubjectAccessReview extends Infer<typeof SelfSubjectAccessReviewSchema> {}

export const SelfSubjectAccessReview = defineKind<SelfSubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
  schema: SelfSubjectAccessReviewSchema,
  verbs: ['create'],
  status: false,
  generation: false,
  virtual: true,
});
