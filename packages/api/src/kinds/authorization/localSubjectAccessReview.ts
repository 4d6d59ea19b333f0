import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, opt, req, struct } from '../../schema.ts';
import { SubjectAccessReviewStatus } from './attributes.ts';
import { SubjectAccessReviewSpec } from './subjectAccessReview.ts';

export const LocalSubjectAccessReviewSchema = struct(
  'io.k8s.api.authorization.v1.LocalSubjectAccessReview',
  'Checks whether a user may perform an action in a namespace.',
  {
    ...objectFields,
    spec: req(2, SubjectAccessReviewSpec, 'The user and the action to check.'),
    status: opt(3, SubjectAccessReviewStatus, 'Observed state of the LocalSubjectAccessReview. The system writes it.'),
  },
);
export interface LocalSubjectAccessReview extends Infer<typeof LocalSubjectAccessReviewSchema> {}

export const LocalSubjectAccessReview = defineKind<LocalSubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  namespaced: true,
  schema: LocalSubjectAccessReviewSchema,
  verbs: ['create'],
  status: false,
  generation: false,
  virtual: true,
});
