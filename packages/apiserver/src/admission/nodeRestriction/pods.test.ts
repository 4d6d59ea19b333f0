import type { Pod } from '@vireo/api';
import { expect, test } from 'vitest';
import { kindOf, Objects, object, podKind } from '../../testing/admission.ts';
import { user } from '../../testing/rbac.ts';
import { podProblem } from './pods.ts';

const nodes = kindOf('Node', 'nodes', '', false);
const lookup = new Objects().put(nodes, object(nodes, 'n1'));
const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'uid-n1', controller: true };

/** A mirror pod of n1 as it should be, changed by each case. */
const mirror = (spec: Pod['spec'] | object = {}, metadata: object = {}) =>
  object(
    podKind,
    'p',
    { spec: { nodeName: 'n1', containers: [], ...spec } },
    { annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner], ...metadata },
  );

test.each<[string, ReturnType<typeof mirror>, string | undefined]>([
  ['its own', mirror(), undefined],
  [
    'none at all',
    mirror({}, { annotations: {} }),
    'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
  ],
  ['on another node', mirror({ nodeName: 'n2' }), 'node "n1" can only create pods with spec.nodeName set to itself'],
  [
    'without an owner',
    mirror({}, { ownerReferences: [] }),
    'node "n1" can only create pods with an owner reference set to itself',
  ],
  [
    'with two owners',
    mirror({}, { ownerReferences: [owner, owner] }),
    'node "n1" can only create pods with a single owner reference set to itself',
  ],
  [
    'with another owner',
    mirror({}, { ownerReferences: [{ ...owner, name: 'n2' }] }),
    'node "n1" can only create pods with an owner reference set to itself',
  ],
  [
    'whose owner is no controller',
    mirror({}, { ownerReferences: [{ ...owner, controller: false }] }),
    'node "n1" can only create pods with a controller owner reference set to itself',
  ],
  [
    'that holds its owner back',
    mirror({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }),
    'node "n1" must not set blockOwnerDeletion on an owner reference',
  ],
  [
    'of an earlier node of that name',
    mirror({}, { ownerReferences: [{ ...owner, uid: 'old' }] }),
    'node n1 UID mismatch: expected old got uid-n1',
  ],
  [
    'with an account',
    mirror({ serviceAccountName: 'a' }),
    'node "n1" can not create pods that reference a service account',
  ],
  [
    'with a secret',
    mirror({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }),
    'node "n1" can not create pods that reference secrets',
  ],
  [
    'with a config map',
    mirror({ containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'm' } }] }] }),
    'node "n1" can not create pods that reference configmaps',
  ],
  [
    'with a claim',
    mirror({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }),
    'node "n1" can not create pods that reference persistentvolumeclaims',
  ],
])('a mirror pod: %s', (_, pod, problem) => {
  const request = { operation: 'CREATE' as const, kind: podKind, name: 'p', object: pod, user: user('x') };
  expect(podProblem(request, 'n1', lookup)).toBe(problem);
});
