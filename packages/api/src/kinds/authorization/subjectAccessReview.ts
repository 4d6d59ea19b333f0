import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, map, opt, req, string, struct } from '../../schema.ts';
import { NonResourceAttributes, ResourceAttributes, SubjectAccessReviewStatus } from './attributes.ts';

export const SubjectAccessReviewSpec = struct(
  'io.k8s.api.authorization.v1.SubjectAccessReviewSpec',
  'The user and the action to check.',
  {
    extra: opt(5, map({ ...list(string), protoMessage: 'strings' }), 'Further facts about the user.'),
    groups: opt(4, list(string, 'atomic'), 'Groups of the user.'),
    nonResourceAttributes: opt(2, NonResourceAttributes, 'A path that is not a resource.'),
    resourceAttributes: opt(1, ResourceAttributes, 'Request for a resource that is checked.'),
    uid: opt(6, string, 'UID of the user.'),
    user: opt(3, string, 'Name of the user.'),
  },
);
export interface SubjectAccessReviewSpec extends Infer<typeof SubjectAccessReviewSpec> {}

export const SubjectAccessReviewSchema = struct(
  'io.k8s.api.authorization.v1.SubjectAccessReview',
  'Checks whether a user may perform an action.',
  {
    ...objectFields,
    spec: req(2, SubjectAccessReviewSpec, 'The user and the action to check.'),
    status: opt(3, SubjectAccessReviewStatus, 'Observed state of the SubjectAccessReview. The system writes it.'),
  },
);
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
