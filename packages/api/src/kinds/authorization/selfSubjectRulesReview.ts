import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';

export const SelfSubjectRulesReviewSpec = struct('io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec', 'Where.', {
  namespace: opt(1, string, 'The namespace.'),
});
export interface SelfSubjectRulesReviewSpec extends Infer<typeof SelfSubjectRulesReviewSpec> {}

export const NonResourceRule = struct(
  'io.k8s.api.authorization.v1.NonResourceRule',
  'What may be done with some paths.',
  {
    nonResourceURLs: opt(2, list(string, 'atomic'), 'The paths.'),
    verbs: req(1, list(string, 'atomic'), 'What may be done.'),
  },
);
export interface NonResourceRule extends Infer<typeof NonResourceRule> {}

export const ResourceRule = struct(
  'io.k8s.api.authorization.v1.ResourceRule',
  'What may be done with some resources.',
  {
    apiGroups: opt(2, list(string, 'atomic'), 'Groups; * for all.'),
    resourceNames: opt(4, list(string, 'atomic'), 'Names; all when empty.'),
    resources: opt(3, list(string, 'atomic'), 'Resources; * for all.'),
    verbs: req(1, list(string, 'atomic'), 'What may be done.'),
  },
);
export interface ResourceRule extends Infer<typeof ResourceRule> {}

export const SubjectRulesReviewStatus = struct(
  'io.k8s.api.authorization.v1.SubjectRulesReviewStatus',
  'What may be done.',
  {
    evaluationError: opt(4, string, 'What went wrong in finding out.'),
    incomplete: req(3, boolean, 'Whether there may be more.'),
    nonResourceRules: req(2, list(NonResourceRule, 'atomic'), 'Paths that are no resources.'),
    resourceRules: req(1, list(ResourceRule, 'atomic'), 'Resources.'),
  },
);
export interface SubjectRulesReviewStatus extends Infer<typeof SubjectRulesReviewStatus> {}

export const SelfSubjectRulesReviewSchema = struct(
  'io.k8s.api.authorization.v1.SelfSubjectRulesReview',
  'Asks what I may do in a namespace.',
  {
    ...objectFields,
    spec: req(2, SelfSubjectRulesReviewSpec, 'Desired state of the SelfSubjectRulesReview.'),
    status: opt(3, SubjectRulesReviewStatus, 'Observed state of the SelfSubjectRulesReview. The system writes it.'),
  },
);
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
