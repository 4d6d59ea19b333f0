import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, opt, struct } from '../../schema.ts';
import { UserInfo } from './userInfo.ts';

export const SelfSubjectReviewStatus = struct(
  'io.k8s.api.authentication.v1.SelfSubjectReviewStatus',
  'The user who makes the request.',
  {
    userInfo: opt(1, UserInfo, 'Name, groups and further facts.'),
  },
);
export interface SelfSubjectReviewStatus extends Infer<typeof SelfSubjectReviewStatus> {}

export const SelfSubjectReviewSchema = struct(
  'io.k8s.api.authentication.v1.SelfSubjectReview',
  'Asks who the user of the request is.',
  {
    ...objectFields,
    status: opt(2, SelfSubjectReviewStatus, 'Observed state of the SelfSubjectReview. The system writes it.'),
  },
);
export interface SelfSubjectReview extends Infer<typeof SelfSubjectReviewSchema> {}

export const SelfSubjectReview = defineKind<SelfSubjectReview>({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
  schema: SelfSubjectReviewSchema,
  verbs: ['create'],
  status: false,
  generation: false,
  virtual: true,
});
