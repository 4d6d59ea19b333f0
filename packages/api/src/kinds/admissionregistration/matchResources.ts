import { type Infer, list, opt, string, struct } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const NamedRuleWithOperations = struct(
  'io.k8s.api.admissionregistration.v1.NamedRuleWithOperations',
  'Requests that a policy is about, possibly for objects of certain names only.',
  {
    apiGroups: opt([2, 2, 1], list(string, 'atomic'), 'API groups of the resources. * matches all.'),
    apiVersions: opt([2, 2, 2], list(string, 'atomic'), 'API versions of the resources. * matches all.'),
    operations: opt([2, 1], list(string, 'atomic'), 'CREATE, UPDATE, DELETE, CONNECT or * for all.'),
    resourceNames: opt(1, list(string, 'atomic'), 'Names of the objects. An empty list matches every name.'),
    resources: opt([2, 2, 3], list(string, 'atomic'), 'Resources and subresources; * for all.'),
    scope: opt([2, 2, 4], string, { default: '*', pointer: true, doc: 'Cluster, Namespaced or * for both.' }),
  },
  { mapType: 'atomic' },
);
export interface NamedRuleWithOperations extends Infer<typeof NamedRuleWithOperations> {}

export const MatchResources = struct(
  'io.k8s.api.admissionregistration.v1.MatchResources',
  'Decides which requests a policy or a binding is about.',
  {
    excludeResourceRules: opt(
      4,
      list(NamedRuleWithOperations, 'atomic'),
      'Requests that are left out, even if resourceRules match them.',
    ),
    matchPolicy: opt(7, string, {
      default: 'Equivalent',
      pointer: true,
      doc: 'Exact, or Equivalent to match requests for other versions of a resource too.',
    }),
    namespaceSelector: opt(1, LabelSelector, {
      default: {},
      doc: 'Labels of the namespaces of the objects. Empty selects all namespaces and the cluster scope.',
    }),
    objectSelector: opt(2, LabelSelector, {
      default: {},
      doc: 'Labels of the objects, before or after the request. Empty selects all objects.',
    }),
    resourceRules: opt(
      3,
      list(NamedRuleWithOperations, 'atomic'),
      'Operations on resources that match. One matching rule is enough.',
    ),
  },
  { mapType: 'atomic' },
);
export interface MatchResources extends Infer<typeof MatchResources> {}
