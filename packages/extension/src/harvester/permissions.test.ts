import { ClusterRole, ClusterRoleBinding, type Kind } from '@vireo/api';
import { kubevirtKinds } from '@vireo/api/kinds/kubevirt/index.ts';
import { ANONYMOUS, Informer, type Transport } from '@vireo/kube';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action, MinimumRole } from '../actions/action.ts';
import { verbsOf } from '../actions/methods.ts';
import { ACTIONS } from '../actions/table.ts';
import { reviewAccess } from '../authorize.ts';
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

/** What each role may do with kinds that users have in their namespace, that they look at, and that are the cluster's. */
const READ = ['get', 'list', 'watch'];
const CHANGE = ['create', 'update', 'patch', 'delete'];
const VERBS = [...READ, ...CHANGE, 'deletecollection'];
const RIGHTS: Readonly<Record<'own' | 'seen' | 'none', Readonly<Record<string, readonly string[]>>>> = {
  own: { admin: VERBS, edit: [...READ, ...CHANGE], view: READ },
  seen: { admin: READ, edit: READ, view: READ },
  none: {},
};
const KINDS: readonly (readonly [group: string, plural: string, rights: keyof typeof RIGHTS])[] = [
  ['harvesterhci.io', 'virtualmachineimages', 'own'],
  ['harvesterhci.io', 'virtualmachinetemplates', 'own'],
  ['harvesterhci.io', 'virtualmachinetemplateversions', 'own'],
  ['harvesterhci.io', 'keypairs', 'own'],
  ['harvesterhci.io', 'upgradelogs', 'own'],
  ['harvesterhci.io', 'virtualmachinebackups', 'own'],
  ['harvesterhci.io', 'virtualmachinerestores', 'own'],
  ['harvesterhci.io', 'schedulevmbackups', 'own'],
  ['harvesterhci.io', 'resourcequotas', 'seen'],
  ['harvesterhci.io', 'settings', 'none'],
  ['metal.harvesterhci.io', 'inventories', 'none'],
  ['template.kubevirt.io', 'virtualmachinetemplates', 'own'],
  ['template.kubevirt.io', 'virtualmachinetemplaterequests', 'own'],
  ['pool.kubevirt.io', 'virtualmachinepools', 'own'],
  ['cdi.kubevirt.io', 'dataimportcrons', 'own'],
];

describe('a kind', () => {
  it.each(KINDS)('%s %s is in the roles', async (group, resource, rights) => {
    const { client } = installation.server;
    const allowed: Record<string, string[]> = {};
    for (const user of Object.keys(GRANTED)) {
      const who = user === 'anonymous' ? ANONYMOUS : testUser(user);
      const asked = VERBS.map(async (verb) => {
        const answer = await reviewAccess(client, who, { group, resource, verb, namespace: 'default' });
        return answer.allowed ? [verb] : [];
      });
      const verbs = (await Promise.all(asked)).flat();
      if (verbs.length > 0) allowed[user] = verbs;
    }
    expect(allowed).toEqual(RIGHTS[rights]);
  });

  it('of Harvester or of templates is in that table', () => {
    const isMeant = ({ group }: Kind) => group.endsWith('harvesterhci.io') || group === 'template.kubevirt.io';
    const known = kubevirtKinds.filter(isMeant).map(({ group, plural }) => `${group} ${plural}`);
    const listed = new Set(KINDS.map(([group, plural]) => `${group} ${plural}`));
    expect([...new Set(known)].filter((each) => !listed.has(each))).toEqual([]);
  });
});

describe('a template of KubeVirt', () => {
  it.each([
    ['process', ['admin', 'edit', 'view']],
    ['create', ['admin', 'edit']],
  ])('may be asked to %s by the roles %j', async (action, users) => {
    const base = '/apis/subresources.template.kubevirt.io/v1beta1/namespaces/default/virtualmachinetemplates/nobody';
    const answers = Object.keys(GRANTED).map(async (user) => {
      const { status } = await transportOf(user).call({ method: 'POST', path: `${base}/${action}`, body: {} });
      return status === 403 ? [] : [user];
    });
    expect((await Promise.all(answers)).flat()).toEqual(users);
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
