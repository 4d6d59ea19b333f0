import { describe, expect, it } from 'vitest';
import { clusterBinding, clusterRole, roleBinding, user } from '../testing/rbac.ts';
import { RbacAuthorizer } from './authorize.ts';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  tokenReview,
} from './reviews.ts';

const authorizer = new RbacAuthorizer();
for (const object of [
  clusterRole('pods', [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]),
  clusterRole('health', [{ nonResourceURLs: ['/healthz'], verbs: ['get'] }]),
  roleBinding(
    'shop',
    'pods',
    { kind: 'ClusterRole', name: 'pods' },
    { kind: 'User', name: 'ada' },
    { kind: 'Group', name: 'dev' },
  ),
  roleBinding('shop', 'lost', { kind: 'Role', name: 'gone' }, { kind: 'User', name: 'eve' }),
  clusterBinding('health', 'health', { kind: 'User', name: 'ada' }),
])
  authorizer.update(object);

const access = <S>(kind: string, spec: S, metadata = {}) => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind,
  metadata,
  spec,
});
const getPods = { verb: 'get', resource: 'pods', namespace: 'shop' };
const allowedByBinding = { allowed: true, reason: expect.stringContaining('allowed by RoleBinding "pods/shop"') };

describe('SelfSubjectAccessReview', () => {
  const ask = (spec: object, metadata = {}) =>
    selfSubjectAccessReview(access('SelfSubjectAccessReview', spec, metadata), user('ada'), authorizer);

  it('answers with the question and whether it is allowed', () => {
    expect(ask({ resourceAttributes: getPods })).toMatchObject({
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: getPods },
      status: allowedByBinding,
    });
    expect(ask({ resourceAttributes: { ...getPods, verb: 'delete' } }).status).toEqual({ allowed: false });
    expect(ask({ nonResourceAttributes: { verb: 'get', path: '/healthz' } }).status?.allowed).toBe(true);
    expect(ask({ nonResourceAttributes: { verb: 'get', path: '/metrics' } }).status?.allowed).toBe(false);
  });

  it('takes stars for everything, which few may do', () => {
    expect(ask({ resourceAttributes: { verb: '*', group: '*', resource: '*' } }).status?.allowed).toBe(false);
  });

  it.each<[object, object, string]>([
    [
      {},
      {},
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      { resourceAttributes: {}, nonResourceAttributes: {} },
      {},
      'spec.nonResourceAttributes: Invalid value: {}: cannot be specified in combination with resourceAttributes',
    ],
    [{ resourceAttributes: {} }, { name: 'x' }, 'metadata: Invalid value: {"name":"x"}: must be empty'],
  ])('refuses %j', (spec, metadata, message) => {
    expect(() => ask(spec, metadata)).toThrow(
      expect.objectContaining({
        code: 422,
        message: `SelfSubjectAccessReview.authorization.k8s.io "" is invalid: ${message}`,
      }),
    );
  });
});

describe('SubjectAccessReview', () => {
  const ask = (spec: object) => subjectAccessReview(access('SubjectAccessReview', spec), authorizer).status;

  it('answers for a user and for groups', () => {
    expect(ask({ user: 'ada', resourceAttributes: getPods })).toEqual(allowedByBinding);
    expect(ask({ groups: ['dev'], resourceAttributes: getPods })).toEqual(allowedByBinding);
    expect(ask({ user: 'bob', resourceAttributes: getPods })).toEqual({ allowed: false });
    expect(ask({ user: 'eve', resourceAttributes: getPods })).toEqual({
      allowed: false,
      reason: 'RBAC: role.rbac.authorization.k8s.io "gone" not found',
    });
  });

  it('needs somebody to ask about', () => {
    expect(() => ask({ resourceAttributes: getPods })).toThrow(
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    );
  });
});

describe('LocalSubjectAccessReview', () => {
  const ask = (spec: object, metadata = {}) =>
    localSubjectAccessReview(access('LocalSubjectAccessReview', spec, metadata), 'shop', authorizer).status;

  it('answers within its namespace', () => {
    expect(ask({ user: 'ada', resourceAttributes: getPods }, { namespace: 'shop' })).toEqual(allowedByBinding);
  });

  it('answers of nothing outside it', () => {
    expect(() => ask({ user: 'ada', resourceAttributes: { ...getPods, namespace: 'lab' } })).toThrow(
      'spec.resourceAttributes.namespace: Invalid value: "lab": must match metadata.namespace',
    );
    expect(() => ask({ user: 'ada', resourceAttributes: { verb: 'get' } })).toThrow('must match metadata.namespace');
    expect(() => ask({ user: 'ada', nonResourceAttributes: { path: '/' } })).toThrow(
      'disallowed on this kind of request',
    );
    expect(() => ask({ user: 'ada', resourceAttributes: getPods }, { namespace: 'lab' })).toThrow(
      expect.objectContaining({ code: 400 }),
    );
  });
});

describe('SelfSubjectRulesReview', () => {
  const ask = (who: string, ...groups: string[]) =>
    selfSubjectRulesReview(access('SelfSubjectRulesReview', { namespace: 'shop' }), user(who, ...groups), authorizer)
      .status;

  it('lists what one may do in a namespace', () => {
    expect(ask('ada')).toEqual({
      resourceRules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      nonResourceRules: [{ nonResourceURLs: ['/healthz'], verbs: ['get'] }],
      incomplete: false,
    });
    expect(ask('x', 'system:masters')).toMatchObject({
      resourceRules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
    });
  });

  it('says which roles are missing', () => {
    expect(ask('eve')).toMatchObject({
      resourceRules: [],
      evaluationError: 'role.rbac.authorization.k8s.io "gone" not found',
    });
  });

  it('needs a namespace', () => {
    expect(() => selfSubjectRulesReview(access('SelfSubjectRulesReview', {}), user('ada'), authorizer)).toThrow(
      'no namespace on request',
    );
  });
});

it('SelfSubjectReview tells who one is', () => {
  const who = { username: 'ada', uid: 'u', groups: ['dev'], extra: { scopes: ['a'] } };
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
  expect(selfSubjectReview(review, who)).toEqual({ ...review, status: { userInfo: who } });
});

describe('TokenReview', () => {
  const ada = user('ada', 'system:authenticated');
  const ask = async (spec: { token: string; audiences?: string[] }) => {
    const { status } = await tokenReview(
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec },
      {
        authenticateToken: (token, audiences = ['api']) =>
          token === 'good'
            ? { authenticated: true, user: ada, audiences }
            : { authenticated: false, problem: 'no such token' },
      },
    );
    return status;
  };

  it('tells whose token it is, and for whom', async () => {
    expect(await ask({ token: 'good' })).toEqual({
      authenticated: true,
      user: { username: 'ada', groups: ['system:authenticated'] },
      audiences: ['api'],
    });
    expect((await ask({ token: 'good', audiences: ['vault'] }))?.audiences).toEqual(['vault']);
  });

  it('tells why a token is not taken', async () => {
    expect(await ask({ token: 'bad' })).toEqual({ user: {}, error: 'invalid bearer token: no such token' });
    await expect(ask({ token: '' })).rejects.toThrow(expect.objectContaining({ code: 400 }));
  });
});
