import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, opt, req, struct } from '../../schema.ts';
import { applyBindingDefaults, bindingColumns } from './bindingRules.ts';
import { RoleRef, Subject } from './rules.ts';

export const ClusterRoleBindingSchema = struct(
  'io.k8s.api.rbac.v1.ClusterRoleBinding',
  'Grants a cluster role in all namespaces.',
  {
    ...objectFields,
    roleRef: req(3, RoleRef, 'The role. Cannot be changed.'),
    subjects: opt(2, list(Subject, 'atomic'), 'Users, groups and service accounts that get the role.'),
  },
);
export interface ClusterRoleBinding extends Infer<typeof ClusterRoleBindingSchema> {}

export const ClusterRoleBinding = defineKind<ClusterRoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
  schema: ClusterRoleBindingSchema,
  columns: bindingColumns,
  applyDefaults: applyBindingDefaults,
});
