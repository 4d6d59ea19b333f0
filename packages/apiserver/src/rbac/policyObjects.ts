import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from './types.ts';
import { RBAC_GROUP } from './types.ts';

const apiVersion = `${RBAC_GROUP}/v1`;
export const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

export const READ = ['get', 'list', 'watch'] as const;
export const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'] as const;
export const READ_WRITE = [...WRITE, ...READ] as const;

/** A rule on resources of one API group. */
export const on = (group: string, verbs: readonly string[], ...resources: string[]): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs: [...verbs],
});

/** A rule for reading paths. */
export const paths = (...nonResourceURLs: string[]): PolicyRule => ({ nonResourceURLs, verbs: ['get'] });

export const fullAccess: readonly PolicyRule[] = [on('*', ['*'], '*'), { nonResourceURLs: ['*'], verbs: ['*'] }];

/** Marks what the server brought, and lets it complete it at later starts. */
const metadata = (name: string, labels: Record<string, string> = {}) => ({
  name,
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
  annotations: { [AUTOUPDATE]: 'true' },
});

interface RoleOptions {
  readonly labels?: Record<string, string>;
  /** Labels of the roles whose rules this one takes. */
  readonly aggregate?: Record<string, string>;
}

export const clusterRole = (name: string, rules: readonly PolicyRule[], options: RoleOptions = {}): ClusterRole => ({
  apiVersion,
  kind: 'ClusterRole',
  metadata: metadata(name, options.labels),
  rules: [...rules],
  ...(options.aggregate && { aggregationRule: { clusterRoleSelectors: [{ matchLabels: options.aggregate }] } }),
});

export const role = (namespace: string, name: string, rules: readonly PolicyRule[]): Role => ({
  apiVersion,
  kind: 'Role',
  metadata: { ...metadata(name), namespace },
  rules: [...rules],
});

export const clusterRoleBinding = (
  name: string,
  roleName: string,
  subjects: readonly Subject[],
): ClusterRoleBinding => ({
  apiVersion,
  kind: 'ClusterRoleBinding',
  metadata: metadata(name),
  roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: roleName },
  subjects: [...subjects],
});

export const roleBinding = (
  namespace: string,
  name: string,
  roleName: string,
  subjects: readonly Subject[],
): RoleBinding => ({
  apiVersion,
  kind: 'RoleBinding',
  metadata: { ...metadata(name), namespace },
  roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: roleName },
  subjects: [...subjects],
});

export const group = (name: string): Subject => ({ apiGroup: RBAC_GROUP, kind: 'Group', name });
export const user = (name: string): Subject => ({ apiGroup: RBAC_GROUP, kind: 'User', name });
export const serviceAccount = (namespace: string, name: string): Subject => ({
  kind: 'ServiceAccount',
  name,
  namespace,
});
