import type { Persisted } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import type { UserInfo } from '@vireo/kube';
import type { ClusterRole, PolicyRule, Role, RoleBinding, RoleRef, Subject } from '../rbac/types.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';

/** Short forms of the objects that tests are about. */
export const user = (username: string, ...groups: string[]): UserInfo => ({ username, groups });

export const clusterRole = (
  name: string,
  rules: PolicyRule[],
  labels?: Record<string, string>,
): Persisted<ClusterRole> =>
  persisted({
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name, ...(labels && { labels }) },
    rules,
  });

export const role = (namespace: string, name: string, rules: PolicyRule[]): Persisted<Role> =>
  persisted({
    apiVersion,
    kind: 'Role',
    metadata: { namespace, name },
    rules,
  });

export const clusterBinding = (name: string, roleName: string, ...subjects: Subject[]): Persisted<RoleBinding> =>
  persisted({
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name: roleName },
    subjects,
  });

export const roleBinding = (
  namespace: string,
  name: string,
  roleRef: Omit<RoleRef, 'apiGroup'>,
  ...subjects: Subject[]
): Persisted<RoleBinding> =>
  persisted({
    apiVersion,
    kind: 'RoleBinding',
    metadata: { namespace, name },
    roleRef: { apiGroup, ...roleRef },
    subjects,
  });
