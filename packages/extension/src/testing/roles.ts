import { ClusterRoleBinding, Role, RoleBinding } from '@vireo/api';
import type { Client, UserInfo } from '@vireo/kube';

/** A user of that name, without any rights beside those of everyone. */
export const testUser = (username: string): UserInfo => ({ username, groups: ['system:authenticated'] });

const rbac = 'rbac.authorization.k8s.io';
const subject = (name: string) => ({ apiGroup: rbac, kind: 'User', name });

/** Gives a user a role of the cluster in the namespace `default`. */
export const bind = (client: Client, user: string, clusterRole: string) =>
  client.of(RoleBinding).create({
    metadata: { name: `${user}-${clusterRole.replaceAll(':', '-')}`, namespace: 'default' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: clusterRole },
    subjects: [subject(user)],
  });

/** The same in the whole cluster. */
export const bindEverywhere = (client: Client, user: string, clusterRole: string) =>
  client.of(ClusterRoleBinding).create({
    metadata: { name: `${user}-${clusterRole.replaceAll(':', '-')}` },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: clusterRole },
    subjects: [subject(user)],
  });

/** Gives a user rules of his own in the namespace `default`. */
export async function allow(client: Client, user: string, rules: NonNullable<Role['rules']>): Promise<void> {
  await client.of(Role).create({ metadata: { name: user, namespace: 'default' }, rules });
  await client.of(RoleBinding).create({
    metadata: { name: user, namespace: 'default' },
    roleRef: { apiGroup: rbac, kind: 'Role', name: user },
    subjects: [subject(user)],
  });
}
