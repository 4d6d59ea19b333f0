import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';

export const SelfSubjectRulesReviewSpec = struct(
  'io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec',
  'The namespace to check.',
  {
    namespace: opt(1, string, 'Name of the namespace to check.'),
  },
);
export interface SelfSubjectRulesReviewSpec extends Infer<typeof SelfSubjectRulesReviewSpec> {}

export const NonResourceRule = struct(
  'io.k8s.api.authorization.v1.NonResourceRule',
  'Verbs that are allowed for paths.',
  {
    nonResourceURLs: opt(2, list(string, 'atomic'), 'Paths of the rule. * matches all.'),
    verbs: req(1, list(string, 'atomic'), 'Verbs that are allowed.'),
  },
);
export interface NonResourceRule extends Infer<typeof NonResourceRule> {}

export const ResourceRule = struct(
  'io.k8s.api.authorization.v1.ResourceRule',
  'Verbs that are allowed for resources.',
  {
    apiGroups: opt(2, list(string, 'atomic'), 'API groups of the rule. * matches all.'),
    resourceNames: opt(4, list(string, 'atomic'), 'Names of the objects. Empty matches all.'),
    resources: opt(3, list(string, 'atomic'), 'Resources of the rule. * matches all.'),
    verbs: req(1, list(string, 'atomic'), 'Verbs that are allowed.'),
  },
);
export interface ResourceRule extends Infer<typeof ResourceRule> {}

export const SubjectRulesReviewStatus = struct(
  'io.k8s.api.authorization.v1.SubjectRulesReviewStatus',
  'Rules that apply to the user.',
  {
    evaluationError: opt(4, string, 'Error during the evaluation. The result may be incomplete.'),
    incomplete: req(3, boolean, 'Whether there may be more.'),
    nonResourceRules: req(2, list(NonResourceRule, 'atomic'), 'Paths that are no resources.'),
    resourceRules: req(1, list(ResourceRule, 'atomic'), 'Rules about resources.'),
  },
);
export interface SubjectRulesReviewStatus extends Infer<typeof SubjectRulesReviewStatus> {}

export const SelfSubjectRulesReviewSchema = struct(
  'io.k8s.api.authorization.v1.SelfSubjectRulesReview',
  'Lists what the user of the request may do in a namespace.',
  {
    ...objectFields,
    spec: req(2, SelfSubjectRulesReviewSpec, 'The namespace to check.'),
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
