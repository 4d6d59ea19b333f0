import { type HeaderValues, headersFromRaw, type UserInfo } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import { RbacAuthorizer } from '../rbac/authorize.ts';
import { clusterBinding, clusterRole, role, roleBinding, user } from '../testing/rbac.ts';
import { impersonate } from './impersonate.ts';

const authorizer = new RbacAuthorizer();
const mayImpersonate = (resources: string[], resourceNames: string[], apiGroups = ['']) => ({
  verbs: ['impersonate'],
  apiGroups,
  resources,
  resourceNames,
});
for (const object of [
  clusterRole('support', [
    mayImpersonate(['users'], ['ada', 'system:anonymous']),
    mayImpersonate(['groups'], ['dev', 'system:unauthenticated']),
    mayImpersonate(['userextras/scopes'], ['view'], ['authentication.k8s.io']),
    mayImpersonate(['uids'], ['u1'], ['authentication.k8s.io']),
  ]),
  clusterBinding('support', 'support', { kind: 'User', name: 'helen' }),
  role('shop', 'robots', [{ verbs: ['impersonate'], apiGroups: [''], resources: ['serviceaccounts'] }]),
  roleBinding('shop', 'robots', { kind: 'Role', name: 'robots' }, { kind: 'User', name: 'helen' }),
])
  authorizer.update(object);

const helen = user('helen', 'system:authenticated');
const as = (headers: HeaderValues, who: UserInfo = helen) => impersonate(who, headers, (a) => authorizer.authorize(a));

describe('without headers', () => {
  it('everybody is who they are', () => {
    expect(as({ accept: 'application/json' })).toBe(helen);
    expect(as({ 'impersonate-user': '' })).toBe(helen);
  });
});

describe('with leave, one becomes', () => {
  it.each<[string, HeaderValues, UserInfo]>([
    ['a user', { 'impersonate-user': 'ada' }, { username: 'ada', groups: ['system:authenticated'] }],
    [
      'a user with everything',
      {
        'impersonate-user': 'ada',
        'impersonate-group': ['dev'],
        'impersonate-uid': 'u1',
        'impersonate-extra-scopes': 'view',
      },
      { username: 'ada', uid: 'u1', groups: ['dev', 'system:authenticated'], extra: { scopes: ['view'] } },
    ],
    [
      'a ServiceAccount, with the groups that it has',
      { 'impersonate-user': 'system:serviceaccount:shop:till' },
      {
        username: 'system:serviceaccount:shop:till',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      },
    ],
    [
      'a ServiceAccount with the groups that are asked for',
      { 'impersonate-user': 'system:serviceaccount:shop:till', 'impersonate-group': 'dev' },
      { username: 'system:serviceaccount:shop:till', groups: ['dev', 'system:authenticated'] },
    ],
    [
      'nobody',
      { 'impersonate-user': 'system:anonymous' },
      { username: 'system:anonymous', groups: ['system:unauthenticated'] },
    ],
    [
      'a user who is not logged in',
      { 'impersonate-user': 'ada', 'impersonate-group': 'system:unauthenticated' },
      { username: 'ada', groups: ['system:unauthenticated'] },
    ],
  ])('%s', (_, headers, expected) => {
    expect(as(headers)).toEqual(expected);
  });
});

describe('without leave it is forbidden', () => {
  const prefix = 'User "helen" cannot impersonate resource';
  it.each<[string, HeaderValues, string]>([
    [
      'another user',
      { 'impersonate-user': 'bob' },
      `users "bob" is forbidden: ${prefix} "users" in API group "" at the cluster scope`,
    ],
    [
      'another group',
      { 'impersonate-user': 'ada', 'impersonate-group': ['dev', 'system:masters'] },
      `groups "system:masters" is forbidden: ${prefix} "groups" in API group "" at the cluster scope`,
    ],
    [
      'groups in one header',
      { 'impersonate-user': 'ada', 'impersonate-group': 'dev, dev' },
      `groups "dev, dev" is forbidden: ${prefix} "groups" in API group "" at the cluster scope`,
    ],
    [
      'a ServiceAccount elsewhere',
      { 'impersonate-user': 'system:serviceaccount:kube-system:admin' },
      `serviceaccounts "admin" is forbidden: ${prefix} "serviceaccounts" in API group "" in the namespace "kube-system"`,
    ],
    [
      'what only looks like a ServiceAccount',
      { 'impersonate-user': 'system:serviceaccount:shop:till:x' },
      `users "system:serviceaccount:shop:till:x" is forbidden: ${prefix} "users" in API group "" at the cluster scope`,
    ],
    [
      'another value of an extra',
      { 'impersonate-user': 'ada', 'impersonate-extra-scopes': ['view', 'edit'] },
      `userextras.authentication.k8s.io "edit" is forbidden: ${prefix} "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope`,
    ],
    [
      'an extra with a hostile key',
      { 'impersonate-user': 'ada', 'impersonate-extra-__proto__': 'view' },
      `userextras.authentication.k8s.io "view" is forbidden: ${prefix} "userextras/__proto__" in API group "authentication.k8s.io" at the cluster scope`,
    ],
    [
      'another uid',
      { 'impersonate-user': 'ada', 'impersonate-uid': 'u2' },
      `uids.authentication.k8s.io "u2" is forbidden: ${prefix} "uids" in API group "authentication.k8s.io" at the cluster scope`,
    ],
  ])('%s', (_, headers, message) => {
    expect(() => as(headers)).toThrow(expect.objectContaining({ message, code: 403 }));
  });

  it('whoever one is about to become', () => {
    expect(() => as({ 'impersonate-user': 'helen' }, user('ada'))).toThrow('User "ada" cannot impersonate');
  });
});

describe('headers', () => {
  it('without a user are a mistake', () => {
    expect(() => as({ 'impersonate-group': 'dev' })).toThrow(expect.objectContaining({ code: 400 }));
    expect(() => as({ 'impersonate-uid': 'u1' })).toThrow(expect.objectContaining({ code: 400 }));
    expect(() => as({ 'impersonate-extra-scopes': 'view' })).toThrow(expect.objectContaining({ code: 400 }));
  });

  it('that came several times stay apart', () => {
    const raw = ['Impersonate-User', 'ada', 'Impersonate-Group', 'dev', 'impersonate-group', 'system:unauthenticated'];
    expect(as(headersFromRaw(raw)).groups).toEqual(['dev', 'system:unauthenticated']);
  });
});
