import { describe, expect, it } from 'vitest';
import { clusterBinding, clusterRole, role, roleBinding, user } from '../testing/rbac.ts';
import { RbacAuthorizer } from './authorize.ts';
import { accessForbidden } from './forbidden.ts';
import type { Attributes } from './match.ts';

const authorizer = new RbacAuthorizer();
for (const object of [
  clusterRole('pod-reader', [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }]),
  clusterRole('log-reader', [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] }]),
  clusterRole('scaler', [{ verbs: ['update'], apiGroups: ['*'], resources: ['*/scale'] }]),
  clusterRole('everything', [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ]),
  clusterRole('prober', [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/livez/*'] }]),
  role('shop', 'till', [
    { verbs: ['get', 'update'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['prices'] },
  ]),
  role('shop', 'clerk', [{ verbs: ['create'], apiGroups: [''], resources: ['configmaps'] }]),
  clusterBinding('read-everywhere', 'pod-reader', { kind: 'User', name: 'ada' }),
  clusterBinding('logs', 'log-reader', { kind: 'Group', name: 'ops' }),
  clusterBinding('scalers', 'scaler', { kind: 'User', name: 'autoscaler' }),
  clusterBinding('root', 'everything', { kind: 'User', name: 'root' }),
  clusterBinding('probes', 'prober', { kind: 'Group', name: 'system:unauthenticated' }),
  roleBinding('shop', 'read-here', { kind: 'ClusterRole', name: 'pod-reader' }, { kind: 'User', name: 'bob' }),
  roleBinding(
    'shop',
    'till',
    { kind: 'Role', name: 'till' },
    { kind: 'ServiceAccount', name: 'cashier', namespace: 'shop' },
  ),
  roleBinding('shop', 'clerk', { kind: 'Role', name: 'clerk' }, { kind: 'ServiceAccount', name: 'cashier' }),
  roleBinding('shop', 'paths', { kind: 'ClusterRole', name: 'prober' }, { kind: 'User', name: 'bob' }),
  roleBinding('shop', 'lost', { kind: 'Role', name: 'gone' }, { kind: 'User', name: 'eve' }),
])
  authorizer.update(object);

type Request = Omit<Attributes, 'user'>;
const pods = (verb: string, namespace?: string, more: Partial<Request> = {}): Request => ({
  verb,
  group: '',
  resource: 'pods',
  namespace,
  ...more,
});
const maps = (verb: string, namespace: string, name = ''): Request => ({
  verb,
  group: '',
  resource: 'configmaps',
  namespace,
  name,
});
const path = (verb: string, at: string): Request => ({ verb, path: at });
const cashier = user('system:serviceaccount:shop:cashier', 'system:serviceaccounts');
const anonymous = user('system:anonymous', 'system:unauthenticated');

describe('a request is allowed when', () => {
  it.each<[string, ReturnType<typeof user>, Request]>([
    ['a ClusterRoleBinding grants it in one namespace', user('ada'), pods('list', 'default')],
    ['… and across all of them', user('ada'), pods('list')],
    ['a RoleBinding to a ClusterRole grants it in its own namespace', user('bob'), pods('get', 'shop', { name: 'p' })],
    [
      'a group of the user holds the role',
      user('carol', 'dev', 'ops'),
      pods('get', 'x', { subresource: 'log', name: 'p' }),
    ],
    ['the object is one that the rule names', cashier, maps('update', 'shop', 'prices')],
    ['a ServiceAccount subject leaves its namespace to the binding', cashier, maps('create', 'shop')],
    [
      '*/scale covers that subresource of anything',
      user('autoscaler'),
      { verb: 'update', group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'x', name: 'd' },
    ],
    ['* covers subresources too', user('root'), pods('create', 'x', { subresource: 'binding', name: 'p' })],
    ['* covers paths', user('root'), path('post', '/anything')],
    ['the path is listed', anonymous, path('get', '/healthz')],
    ['the path starts as a pattern does', anonymous, path('get', '/livez/ping')],
    ['the user is in system:masters, whatever the roles say', user('nobody', 'system:masters'), pods('delete', 'x')],
  ])('%s', (_, who, request) => {
    expect(authorizer.authorize({ user: who, ...request }).allowed).toBe(true);
  });
});

describe('a request is refused when', () => {
  it.each<[string, ReturnType<typeof user>, Request, string]>([
    [
      'no rule has the verb',
      user('ada'),
      pods('delete', 'default', { name: 'p' }),
      'pods "p" is forbidden: User "ada" cannot delete resource "pods" in API group "" in the namespace "default"',
    ],
    [
      'the rule is for the resource, not its subresource',
      user('ada'),
      pods('get', 'default', { subresource: 'log', name: 'p' }),
      'pods "p" is forbidden: User "ada" cannot get resource "pods/log" in API group "" in the namespace "default"',
    ],
    [
      'the rule is for the subresource, not the resource',
      user('carol', 'ops'),
      pods('get', 'x', { name: 'p' }),
      'pods "p" is forbidden: User "carol" cannot get resource "pods" in API group "" in the namespace "x"',
    ],
    [
      'the RoleBinding stands in another namespace',
      user('bob'),
      pods('list', 'default'),
      'pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "default"',
    ],
    [
      'a RoleBinding cannot grant the cluster scope',
      user('bob'),
      pods('list'),
      'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope',
    ],
    [
      'a RoleBinding cannot grant paths',
      user('bob'),
      path('get', '/healthz'),
      'forbidden: User "bob" cannot get path "/healthz"',
    ],
    [
      'the object is not one that the rule names',
      cashier,
      maps('get', 'shop', 'salaries'),
      'configmaps "salaries" is forbidden: User "system:serviceaccount:shop:cashier" cannot get resource "configmaps" in API group "" in the namespace "shop"',
    ],
    [
      'a rule with names says nothing of requests without one',
      cashier,
      maps('list', 'shop'),
      'configmaps is forbidden: User "system:serviceaccount:shop:cashier" cannot list resource "configmaps" in API group "" in the namespace "shop"',
    ],
    [
      'the group differs',
      user('ada'),
      { verb: 'list', group: 'metrics.k8s.io', resource: 'pods', namespace: 'x' },
      'pods.metrics.k8s.io is forbidden: User "ada" cannot list resource "pods" in API group "metrics.k8s.io" in the namespace "x"',
    ],
    [
      'a user is called like a group',
      user('ops'),
      pods('get', 'x', { subresource: 'log', name: 'p' }),
      'pods "p" is forbidden: User "ops" cannot get resource "pods/log" in API group "" in the namespace "x"',
    ],
    [
      'the pattern has a slash that the path has not',
      anonymous,
      path('get', '/livez'),
      'forbidden: User "system:anonymous" cannot get path "/livez"',
    ],
    [
      'the role is missing, which the reason tells',
      user('eve'),
      pods('get', 'shop', { name: 'p' }),
      'pods "p" is forbidden: User "eve" cannot get resource "pods" in API group "" in the namespace "shop": RBAC: role.rbac.authorization.k8s.io "gone" not found',
    ],
    [
      'the name only looks like another key',
      user('ada","x'),
      pods('list', 'default'),
      'pods is forbidden: User "ada\\",\\"x" cannot list resource "pods" in API group "" in the namespace "default"',
    ],
  ])('%s', (_, who, request, message) => {
    const attributes = { user: who, ...request };
    const decision = authorizer.authorize(attributes);
    expect(decision.allowed).toBe(false);
    expect(accessForbidden(attributes, decision.reason).message).toBe(message);
  });
});

describe('the reason for an allowance', () => {
  it('names the binding, the role and the subject', () => {
    expect(authorizer.authorize({ user: cashier, ...maps('create', 'shop') }).reason).toBe(
      'RBAC: allowed by RoleBinding "clerk/shop" of Role "clerk" to ServiceAccount "cashier/shop"',
    );
    expect(authorizer.authorize({ user: user('ada'), ...pods('list') }).reason).toBe(
      'RBAC: allowed by ClusterRoleBinding "read-everywhere" of ClusterRole "pod-reader" to User "ada"',
    );
  });
});

describe('a change takes effect at once', () => {
  const changing = new RbacAuthorizer();
  const ada = { user: user('ada'), ...pods('list', 'default') };
  const binding = clusterBinding('b', 'reader', { kind: 'User', name: 'ada' });
  const reader = clusterRole('reader', [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }]);

  it('when a binding comes, changes its subjects and goes', () => {
    changing.update(reader);
    expect(changing.authorize(ada).allowed).toBe(false);
    changing.update(binding);
    expect(changing.authorize(ada).allowed).toBe(true);
    changing.update(clusterBinding('b', 'reader', { kind: 'User', name: 'bob' }));
    expect(changing.authorize(ada).allowed).toBe(false);
    expect(changing.authorize({ ...ada, user: user('bob') }).allowed).toBe(true);
    changing.update(binding);
    changing.remove(binding);
    expect(changing.authorize(ada).allowed).toBe(false);
  });

  it('when the role changes its rules and goes', () => {
    changing.update(binding);
    changing.update(clusterRole('reader', []));
    expect(changing.authorize(ada)).toEqual({ allowed: false, reason: '' });
    changing.remove(reader);
    expect(changing.authorize(ada).reason).toBe('RBAC: clusterrole.rbac.authorization.k8s.io "reader" not found');
  });
});
