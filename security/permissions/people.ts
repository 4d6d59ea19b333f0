import { ClusterRole, ClusterRoleBinding, Namespace, type PolicyRule, RoleBinding, ServiceAccount } from '@vireo/api';
import type { Ground } from '../ground.ts';
import { until } from '../until.ts';
import type { Credentials, Wire } from '../wire.ts';
import { ADMIN, CLUSTER_ADMIN, EDIT, EVERYONE, KUBELET, NODE, SIMULATED, VIEW } from './policy.ts';

/** The namespace in which people have their roles, and one in which they have none. */
export const OWN = 'security-own';
export const OTHER = 'security-other';

/** Somebody who asks, and what he should be allowed to do. */
export interface Person {
  readonly name: string;
  readonly wire: Wire;
  /** In the namespace `OWN`. */
  readonly there: readonly PolicyRule[];
  /** Everywhere, and on what is in no namespace. */
  readonly everywhere: readonly PolicyRule[];
  readonly isAnonymous?: boolean;
}

const RBAC = 'rbac.authorization.k8s.io';
const ROLES = { view: VIEW, edit: EDIT, admin: ADMIN };

/** Makes everybody whom the matrix is about, with the roles that an administrator would give them. */
export async function makePeople(ground: Ground): Promise<Person[]> {
  const { client } = ground;
  for (const name of [OWN, OTHER]) await client.of(Namespace).create({ metadata: { name } });
  for (const role of Object.keys(ROLES)) await bind(ground, role, role);
  await client.of(ClusterRoleBinding).create({
    metadata: { name: 'security-cluster-admin' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: 'cluster-admin' }],
  });
  await client.of(ServiceAccount).create({ metadata: { name: 'robot', namespace: OWN } });
  await rolesAreWhole(ground);
  const person = (
    name: string,
    credentials: Credentials,
    rules: { there?: readonly PolicyRule[]; everywhere?: readonly PolicyRule[] } = {},
  ): Person => ({
    name,
    wire: ground.wire(credentials),
    there: rules.there ?? [],
    everywhere: [...EVERYONE, ...(rules.everywhere ?? [])],
  });
  return [
    { name: 'anonymous', wire: ground.wire({ ca: ground.ca }), there: [], everywhere: [], isAnonymous: true },
    person('nobody', ground.certificateOf('nobody')),
    ...Object.entries(ROLES).map(([name, there]) => person(name, ground.certificateOf(name), { there })),
    person('cluster-admin', ground.certificateOf('cluster-admin'), { everywhere: CLUSTER_ADMIN }),
    person('kubelet', ground.certificateOf('system:node:elsewhere', ['system:nodes']), { everywhere: KUBELET }),
    person('node', ground.certificateOf('vireo:node:elsewhere', ['vireo:nodes']), { everywhere: NODE }),
    person('simulated', await tokenOf(ground, 'kubevirt', 'kubevirt-handler'), { everywhere: SIMULATED }),
    person('account', await tokenOf(ground, OWN, 'robot')),
  ];
}

const bind = ({ client }: Ground, user: string, role: string): Promise<RoleBinding> =>
  client.of(RoleBinding).create({
    metadata: { name: `security-${role}`, namespace: OWN },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
  });

/** The roles of the cluster take in those of VMs a moment after these are there. */
async function rolesAreWhole({ client }: Ground): Promise<void> {
  const roles = Object.keys(ROLES);
  await until('the roles of VMs', async () => {
    const found = await Promise.all(roles.map((name) => client.of(ClusterRole).get(name)));
    return found.every(({ rules }) =>
      (rules ?? []).some(({ apiGroups }) => apiGroups?.includes('subresources.harvesterhci.io')),
    );
  });
}

/** A token of a ServiceAccount, as `kubectl create token` gets one. */
export async function tokenOf(ground: Ground, namespace: string, name: string): Promise<Credentials> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const { status, body } = await ground.wire(ground.admin).send({ method: 'POST', path, body: '{"spec":{}}' });
  if (status !== 201) throw new Error(`no token for ${namespace}/${name} (${status}): ${body}`);
  const { status: issued } = JSON.parse(body) as { status: { token: string } };
  return { ca: ground.ca, token: issued.token };
}
