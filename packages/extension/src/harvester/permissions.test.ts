import { ClusterRole, ClusterRoleBinding } from '@vireo/api';
import { ANONYMOUS, Informer, type Transport } from '@vireo/kube';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action, MinimumRole } from '../actions/action.ts';
import { verbsOf } from '../actions/methods.ts';
import { ACTIONS } from '../actions/table.ts';
import { pathsTo } from '../testing/contract/paths.ts';
import { type Installation, install } from '../testing/installation.ts';
import { allow, bind, bindEverywhere, testUser } from '../testing/roles.ts';

let installation: Installation;
const stopping = new AbortController();
beforeAll(async () => {
  installation = await install();
  const { client } = installation.server;
  for (const role of ['admin', 'edit', 'view']) await bind(client, role, role);
  await bindEverywhere(client, 'nodes', 'harvesterhci.io:nodes');
  await bind(client, 'migrate', 'kubevirt.io:migrate');
  await allow(client, 'seed', [
    { apiGroups: ['subresources.harvesterhci.io'], resources: ['virtualmachines/stop'], verbs: ['get', 'create'] },
  ]);
  // The roles of the cluster take in those of VMs a moment later.
  const roles = new Informer(client.of(ClusterRole));
  roles.start(stopping.signal);
  await eventually(() =>
    ['admin', 'edit', 'view'].every((name) =>
      roles.get(name)?.rules?.some(({ apiGroups }) => apiGroups?.includes('subresources.harvesterhci.io')),
    ),
  );
}, 60_000);
afterAll(async () => {
  stopping.abort();
  await installation?.close();
});

/** Whom a right is granted to who has it in the namespace `default`; nodes are in none. */
const GRANTED: Readonly<Record<string, readonly MinimumRole[]>> = {
  admin: ['view', 'edit', 'admin'],
  edit: ['view', 'edit'],
  view: ['view'],
  nodes: ['nodes'],
  migrate: ['migrate'],
  anonymous: [],
};

const transportOf = (user: string): Transport =>
  installation.server.inProcess(user === 'anonymous' ? ANONYMOUS : testUser(user));

const nameOf = ({ group, resource, name }: Action): string => `${group.split('.')[1]} ${resource}/${name}`;
/** What a user gets by each path to an action: 403, or anything else. */
async function refusals(transport: Transport, action: Action): Promise<Record<string, boolean>> {
  const answers = pathsTo(action, 'nobody').map(async ({ label, method, path, query, body }) => {
    const { status } = await transport.call({ method, path, query, body });
    return [label, status === 403] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

describe.each(Object.entries(GRANTED))('the role %s', (user, grantees) => {
  it.each(ACTIONS.map((action) => [nameOf(action), action] as const))('%s', async (_, action) => {
    const isRefused = !grantees.includes(action.minimumRole);
    const expected = Object.fromEntries(pathsTo(action, 'nobody').map(({ label }) => [label, isRefused]));
    expect(await refusals(transportOf(user), action)).toEqual(expected);
  });
});

describe('a role of one action', () => {
  it.each(ACTIONS.map((action, index) => [nameOf(action), action, index] as const))(
    'allows %s by every path, and no other',
    async (_, action, index) => {
      const { client } = installation.server;
      const user = `only-${index}`;
      const { group, resource, name } = action;
      await client.of(ClusterRole).create({
        metadata: { name: user },
        rules: [
          {
            apiGroups: [group],
            resources: [`${resource}/${name}`, ...wholeOf(name, resource)],
            verbs: verbsOf(action),
          },
        ],
      });
      await client.of(ClusterRoleBinding).create({
        metadata: { name: user },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      });
      const transport = transportOf(user);
      const outcomes = await Promise.all(ACTIONS.map((each) => refusals(transport, each)));
      const allowed = ACTIONS.filter((_each, i) => Object.values(outcomes[i] ?? {}).some((isRefused) => !isRefused));
      expect(allowed.map(nameOf).sort()).toEqual(expectedOf(action).sort());
      expect(Object.values(outcomes[index] ?? {})).not.toContain(true);
    },
  );

  /**
   * API servers decide by the first segment of a subresource: `vnc/screenshot` takes `vnc`, too. Whoever may `vnc` may
   * then open the screen, as on any cluster.
   */
  const wholeOf = (name: string, resource: string): string[] =>
    name.includes('/') ? [`${resource}/${name.split('/')[0]}`] : [];
  const expectedOf = (action: Action): string[] => {
    const [first] = action.name.split('/');
    const also = ACTIONS.filter(
      (each) =>
        each !== action &&
        action.name.includes('/') &&
        each.group === action.group &&
        each.resource === action.resource &&
        each.name === first,
    );
    return [action, ...also].map(nameOf);
  };
});

describe("the seed's role", () => {
  it('is refused all but to stop, and to stop by PUT', async () => {
    const transport = transportOf('seed');
    const outcomes = await Promise.all(
      ACTIONS.map(async (action) => {
        const byPath = Object.entries(await refusals(transport, action));
        return byPath.filter(([, isRefused]) => !isRefused).map(([label]) => `${nameOf(action)} (${label})`);
      }),
    );
    expect(outcomes.flat()).toEqual([
      'harvesterhci virtualmachines/stop (subresource, by POST)',
      'harvesterhci virtualmachines/stop (Steve)',
    ]);
  });
});
