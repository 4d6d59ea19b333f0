export type { LabelSelector } from '@vireo/api/kinds/meta/selectors.ts';
export type { ClusterRole } from '@vireo/api/kinds/rbac/clusterRole.ts';
export type { ClusterRoleBinding } from '@vireo/api/kinds/rbac/clusterRoleBinding.ts';
export type { Role } from '@vireo/api/kinds/rbac/role.ts';
export type { RoleBinding } from '@vireo/api/kinds/rbac/roleBinding.ts';
export type { PolicyRule, RoleRef, Subject } from '@vireo/api/kinds/rbac/rules.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
