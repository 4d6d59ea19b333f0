import type { Persisted } from '@vireo/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterBinding, clusterRole, roleBinding } from '../testing/rbac.ts';
import { RbacAuthorizer } from './authorize.ts';
import type { Attributes } from './match.ts';
import type { RoleBinding, Subject } from './types.ts';

const NAMES = ['ada', 'bob', 'system:serviceaccount:shop:till'];
const GROUPS = ['dev', 'ops'];
const SPACES = ['shop', 'lab'];

const subject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({ kind: fc.constant('User'), name: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constant('Group'), name: fc.constantFrom(...GROUPS) }),
  fc.record({ kind: fc.constant('ServiceAccount'), name: fc.constant('till'), namespace: fc.constantFrom(...SPACES) }),
);
const roleName = fc.constantFrom('read', 'write', 'missing');
const bindingName = fc.constantFrom('b1', 'b2', 'b3', 'b4');
const binding: fc.Arbitrary<Persisted<RoleBinding>> = fc.oneof(
  fc
    .tuple(bindingName, roleName, fc.array(subject, { maxLength: 3 }))
    .map(([name, role, subjects]) => clusterBinding(name, role, ...subjects)),
  fc
    .tuple(fc.constantFrom(...SPACES), bindingName, roleName, fc.array(subject, { maxLength: 3 }))
    .map(([space, name, role, subjects]) => roleBinding(space, name, { kind: 'ClusterRole', name: role }, ...subjects)),
);
const request: fc.Arbitrary<Attributes> = fc.record({
  user: fc.record({ username: fc.constantFrom(...NAMES), groups: fc.subarray(GROUPS) }),
  verb: fc.constantFrom('get', 'create'),
  group: fc.constant(''),
  resource: fc.constantFrom('pods', 'secrets'),
  namespace: fc.constantFrom('', ...SPACES),
});
const change = fc.record({ remove: fc.boolean(), binding });

const ROLES = [
  clusterRole('read', [{ verbs: ['get'], apiGroups: [''], resources: ['*'] }]),
  clusterRole('write', [{ verbs: ['create'], apiGroups: [''], resources: ['pods'] }]),
];

function authorizerOf(bindings: Iterable<Persisted<RoleBinding>>): RbacAuthorizer {
  const authorizer = new RbacAuthorizer();
  for (const object of [...ROLES, ...bindings]) authorizer.update(object);
  return authorizer;
}

const keyOf = ({ kind, metadata }: RoleBinding): string => `${kind}/${metadata.namespace}/${metadata.name}`;

describe('the authorizer', () => {
  it('never takes a permission away when a binding is added', () => {
    fc.assert(
      fc.property(
        fc.array(binding, { maxLength: 6 }),
        binding,
        fc.array(request, { minLength: 1 }),
        (before, added, requests) => {
          const fresh = { ...added, metadata: { ...added.metadata, name: 'added' } };
          const [without, having] = [authorizerOf(before), authorizerOf([...before, fresh])];
          for (const attributes of requests)
            if (without.authorize(attributes).allowed) expect(having.authorize(attributes).allowed).toBe(true);
        },
      ),
    );
  });

  it('decides after any series of changes as one that was only given the outcome', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), fc.array(request, { minLength: 1 }), (changes, requests) => {
        const live = authorizerOf([]);
        const outcome = new Map<string, Persisted<RoleBinding>>();
        for (const { remove, binding: object } of changes) {
          for (const attributes of requests) live.authorize(attributes);
          if (remove) {
            live.remove(object);
            outcome.delete(keyOf(object));
          } else {
            live.update(object);
            outcome.set(keyOf(object), object);
          }
        }
        const fresh = authorizerOf(outcome.values());
        for (const attributes of requests)
          expect(live.authorize(attributes).allowed).toBe(fresh.authorize(attributes).allowed);
      }),
    );
  });
});
