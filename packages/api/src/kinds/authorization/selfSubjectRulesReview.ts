import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';

export const SelfSubjectRulesReviewSpec = struct('io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec', '', {
  namespace: opt(1, string),
});
export interface SelfSubjectRulesReviewSpec extends Infer<typeof SelfSubjectRulesReviewSpec> {}

export const NonResourceRule = struct('io.k8s.api.authorization.v1.NonResourceRule', '', {
  nonResourceURLs: opt(2, list(string, 'atomic')),
  verbs: req(1, list(string, 'atomic')),
});
export interface NonResourceRule extends Infer<typeof NonResourceRule> {}

export const ResourceRule = struct('io.k8s.api.authorization.v1.ResourceRule', '', {
  apiGroups: opt(2, list(string, 'atomic')),
  resourceNames: opt(4, list(string, 'atomic')),
  resources: opt(3, list(string, 'atomic')),
  verbs: req(1, list(string, 'atomic')),
});
export interface ResourceRule extends Infer<typeof ResourceRule> {}

export const SubjectRulesReviewStatus = struct('io.k8s.api.authorization.v1.SubjectRulesReviewStatus', '', {
  evaluationError: opt(4, string),
  incomplete: req(3, boolean),
  nonResourceRules: req(2, list(NonResourceRule, 'atomic')),
  resourceRules: req(1, list(ResourceRule, 'atomic')),
});
export interface SubjectRulesReviewStatus extends Infer<typeof SubjectRulesReviewStatus> {}

export const SelfSubjectRulesReviewSchema = struct('io.k8s.api.authorization.v1.SelfSubjectRulesReview', '', {
  ...objectFields,
  spec: req(2, SelfSubjectRulesReviewSpec),
  status: opt(3, SubjectRulesReviewStatus),
});
export interface SelfSubjectRulesReview extends Infer<typeof SelfSubjectRulesReviewSchema> {}

export const SelfSubjectRulesReview = defineKind<SelfSubjectRulesReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
  schema: SelfSubjectRulesReviewSchema,
  verbs: ['create'],
  status: false,
  generation: false,
  virtual: true,
});
