import { type Infer, list, opt, req, string, struct } from '../../schema.ts';

export const PolicyRule = struct('io.k8s.api.rbac.v1.PolicyRule', '', {
  apiGroups: opt(2, list(string, 'atomic')),
  nonResourceURLs: opt(5, list(string, 'atomic')),
  resourceNames: opt(4, list(string, 'atomic')),
  resources: opt(3, list(string, 'atomic')),
  verbs: req(1, list(string, 'atomic')),
});
export interface PolicyRule extends Infer<typeof PolicyRule> {}

export const RoleRef = struct(
  'io.k8s.api.rbac.v1.RoleRef',
  '',
  {
    apiGroup: opt(1, string),
    kind: req(2, string),
    name: req(3, string),
  },
  { mapType: 'atomic' },
);
export interface RoleRef extends Infer<typeof RoleRef> {}

export const Subject = struct(
  'io.k8s.api.rbac.v1.Subject',
  '',
  {
    apiGroup: opt(2, string),
    kind: req(1, string),
    name: req(3, string),
    namespace: opt(4, string),
  },
  { mapType: 'atomic' },
);
export interface Subject extends Infer<typeof Subject> {}
