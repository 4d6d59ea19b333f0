import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, opt, req, struct } from '../../schema.ts';
import { applyBindingDefaults, bindingColumns } from './bindingRules.ts';
import { RoleRef, Subject } from './rules.ts';

export const RoleBindingSchema = struct('io.k8s.api.rbac.v1.RoleBinding', 'Grants a role within a namespace.', {
  ...objectFields,
  roleRef: req(3, RoleRef, 'The role. Cannot be changed.'),
  subjects: opt(2, list(Subject, 'atomic'), 'Users, groups and service accounts that get the role.'),
});
export interface RoleBinding extends Infer<typeof RoleBindingSchema> {}

export const RoleBinding = defineKind<RoleBinding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
  schema: RoleBindingSchema,
  columns: bindingColumns,
  applyDefaults: applyBindingDefaults,
});
