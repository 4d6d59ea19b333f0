import { type Infer, list, opt, req, string, struct } from '../../schema.ts';

export const PolicyRule = struct('io.k8s.api.rbac.v1.PolicyRule', 'Verbs that are allowed for resources or paths.', {
  apiGroups: opt(2, list(string, 'atomic'), 'Groups of the resources; * for all.'),
  nonResourceURLs: opt(5, list(string, 'atomic'), 'Paths that are not resources, such as /healthz.'),
  resourceNames: opt(4, list(string, 'atomic'), 'Names that the rule is limited to.'),
  resources: opt(3, list(string, 'atomic'), 'Resources, such as pods or pods/log; * for all.'),
  verbs: req(1, list(string, 'atomic'), 'Verbs that are allowed; * for all.'),
});
export interface PolicyRule extends Infer<typeof PolicyRule> {}

export const RoleRef = struct(
  'io.k8s.api.rbac.v1.RoleRef',
  'Refers to the role that is granted.',
  {
    apiGroup: opt(1, string, 'API group of the role.'),
    kind: req(2, string, 'Kind of the role: Role or ClusterRole.'),
    name: req(3, string, 'Name of the role.'),
  },
  { mapType: 'atomic' },
);
export interface RoleRef extends Infer<typeof RoleRef> {}

export const Subject = struct(
  'io.k8s.api.rbac.v1.Subject',
  'A user, group or service account that gets a role.',
  {
    apiGroup: opt(2, string, 'Group of the subject; empty for service accounts.'),
    kind: req(1, string, 'Kind of the subject: User, Group or ServiceAccount.'),
    name: req(3, string, 'Name of the subject.'),
    namespace: opt(4, string, 'Namespace of a service account.'),
  },
  { mapType: 'atomic' },
);
export interface Subject extends Infer<typeof Subject> {}
