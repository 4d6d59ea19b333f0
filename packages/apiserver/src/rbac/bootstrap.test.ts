import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { clusterBinding, clusterRole, user } from '../testing/rbac.ts';
import { RbacAuthorizer } from './authorize.ts';
import { BOOTSTRAP_POLICY, type RbacObject, reconcileBootstrap } from './bootstrap.ts';
import type { Attributes } from './match.ts';
import type { ClusterRole, ClusterRoleBinding } from './types.ts';

const find = <T extends RbacObject>(kind: string, name: string): T =>
  structuredClone(BOOTSTRAP_POLICY.find((object) => object.kind === kind && object.metadata.name === name)) as T;
const without = (object: RbacObject) =>
  BOOTSTRAP_POLICY.filter(({ kind, metadata }) => kind !== object.kind || metadata.name !== object.metadata.name);
const withInstead = (object: RbacObject) => [...without(object), object];
const names = (objects: readonly RbacObject[]) => objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);

describe('the policy', () => {
  it('names each object once and marks all as its own', () => {
    const keys = BOOTSTRAP_POLICY.map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`);
    expect(new Set(keys).size).toBe(BOOTSTRAP_POLICY.length);
    for (const { metadata } of BOOTSTRAP_POLICY) {
      expect(metadata.labels).toMatchObject({ 'kubernetes.io/bootstrapping': 'rbac-defaults' });
      expect(metadata.annotations).toEqual({ 'rbac.authorization.kubernetes.io/autoupdate': 'true' });
    }
  });

  it('binds only roles that it has', () => {
    const roles = new Set(names(BOOTSTRAP_POLICY));
    for (const object of BOOTSTRAP_POLICY)
      if ('roleRef' in object) expect(roles).toContain(`${object.roleRef.kind}/${object.roleRef.name}`);
  });

  const authorizer = new RbacAuthorizer();
  for (const object of BOOTSTRAP_POLICY) authorizer.update(persisted(object));
  const stranger = user(
    'system:serviceaccount:shop:till',
    'system:serviceaccounts',
    'system:serviceaccounts:shop',
    'system:authenticated',
  );
  const anonymous = user('system:anonymous', 'system:unauthenticated');
  const garbageCollector = user('system:serviceaccount:kube-system:generic-garbage-collector', 'system:authenticated');

  it.each<[string, boolean, Attributes]>([
    ['anonymous may see the version', true, { user: anonymous, verb: 'get', path: '/version' }],
    ['anonymous may ask after health', true, { user: anonymous, verb: 'get', path: '/readyz' }],
    ['anonymous may not discover', false, { user: anonymous, verb: 'get', path: '/apis' }],
    [
      'anonymous may not ask what they may',
      false,
      { user: anonymous, verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' },
    ],
    ['a ServiceAccount without a binding may discover', true, { user: stranger, verb: 'get', path: '/apis/apps/v1' }],
    ['… and read the OpenAPI', true, { user: stranger, verb: 'get', path: '/openapi/v3' }],
    [
      '… and ask what it may',
      true,
      { user: stranger, verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' },
    ],
    [
      '… but not read a pod',
      false,
      { user: stranger, verb: 'get', group: '', resource: 'pods', namespace: 'shop', name: 'p' },
    ],
    ['… nor list namespaces', false, { user: stranger, verb: 'list', group: '', resource: 'namespaces' }],
    ['… nor read metrics', false, { user: stranger, verb: 'get', path: '/metrics' }],
    [
      'the garbage collector may delete anything',
      true,
      { user: garbageCollector, verb: 'delete', group: 'x.example.org', resource: 'things', namespace: 'a', name: 't' },
    ],
    [
      'the garbage collector may not create',
      false,
      { user: garbageCollector, verb: 'create', group: '', resource: 'pods', namespace: 'a' },
    ],
  ])('%s: %s', (_, allowed, attributes) => {
    expect(authorizer.authorize(attributes).allowed).toBe(allowed);
  });
});

describe('reconciling', () => {
  it('creates everything in an empty store', () => {
    expect(reconcileBootstrap([])).toEqual({ creates: BOOTSTRAP_POLICY, updates: [], replaces: [] });
  });

  it('does nothing when all is there', () => {
    expect(reconcileBootstrap(BOOTSTRAP_POLICY)).toEqual({ creates: [], updates: [], replaces: [] });
  });

  it('adds missing rules and keeps those of others', () => {
    const role = find<ClusterRole>('ClusterRole', 'system:basic-user');
    const [first, second] = role.rules ?? [];
    const own = { apiGroups: ['x'], resources: ['y'], verbs: ['get'] };
    const { updates } = reconcileBootstrap(withInstead({ ...role, rules: [own, first!] }));
    expect(updates).toEqual([{ ...role, rules: [own, first, second] }]);
  });

  it('takes a wider rule for the missing one', () => {
    const role = find<ClusterRole>('ClusterRole', 'system:basic-user');
    const wider = { ...role, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['create'] }] };
    expect(reconcileBootstrap(withInstead(wider)).updates).toEqual([]);
  });

  it('adds missing subjects and keeps those of others', () => {
    const binding = find<ClusterRoleBinding>('ClusterRoleBinding', 'system:discovery');
    const other = { kind: 'Group', name: 'system:unauthenticated' };
    const { updates } = reconcileBootstrap(withInstead({ ...binding, subjects: [other] }));
    expect(updates).toEqual([{ ...binding, subjects: [other, ...(binding.subjects ?? [])] }]);
  });

  it('adds missing labels and selectors, and leaves the rules of aggregated roles alone', () => {
    const role = find<ClusterRole>('ClusterRole', 'edit');
    const filled = { ...role, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] };
    expect(reconcileBootstrap(withInstead(filled)).updates).toEqual([]);
    const { aggregationRule: _, ...bare } = { ...filled, metadata: { ...role.metadata, labels: { mine: 'x' } } };
    expect(reconcileBootstrap(withInstead(bare)).updates).toEqual([
      { ...filled, metadata: { ...role.metadata, labels: { mine: 'x', ...role.metadata.labels } } },
    ]);
  });

  it.each<Record<string, string>>([{ 'rbac.authorization.kubernetes.io/autoupdate': 'false' }, {}])(
    'leaves alone what was taken out of its hands: %j',
    (annotations) => {
      const role = { ...clusterRole('system:basic-user', []), metadata: { name: 'system:basic-user', annotations } };
      const binding = {
        ...clusterBinding('system:discovery', 'x'),
        metadata: { name: 'system:discovery', annotations },
      };
      expect(reconcileBootstrap(withInstead(role))).toEqual({ creates: [], updates: [], replaces: [] });
      expect(reconcileBootstrap(withInstead(binding))).toEqual({ creates: [], updates: [], replaces: [] });
    },
  );

  it('makes a binding to another role anew', () => {
    const binding = find<ClusterRoleBinding>('ClusterRoleBinding', 'system:discovery');
    const bent = { ...binding, roleRef: { ...binding.roleRef, name: 'cluster-admin' } };
    expect(reconcileBootstrap(withInstead(bent))).toEqual({ creates: [], updates: [], replaces: [binding] });
  });
});
