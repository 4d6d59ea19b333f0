export type {
  ClusterRole,
  ClusterRoleBinding,
  LabelSelector,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from '@vireo/api';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
