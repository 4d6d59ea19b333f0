import type { Kind, UnknownObject } from '@vireo/api';
import type { UserInfo } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import type { AdmissionRequest } from '../admission/admission.ts';
import { Rounds } from '../admission/reinvocation.ts';
import { clusterBinding, clusterRole, role, roleBinding, user } from '../testing/rbac.ts';
import { RbacAuthorizer } from './authorize.ts';
import { rbacEscalation } from './escalation.ts';
import type { ClusterRole, PolicyRule, Role, RoleBinding } from './types.ts';

const GROUP = 'rbac.authorization.k8s.io';
const PODS: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
const SECRETS: PolicyRule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
const ANYTHING: PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

const authorizer = new RbacAuthorizer();
for (const object of [
  clusterRole('pods', [PODS]),
  clusterRole('secrets', [SECRETS]),
  clusterRole('anything', ANYTHING),
  clusterRole('escalator', [{ apiGroups: [GROUP], resources: ['clusterroles'], verbs: ['escalate'] }]),
  clusterRole('binder', [
    { apiGroups: [GROUP], resources: ['clusterroles'], resourceNames: ['secrets'], verbs: ['bind'] },
  ]),
  clusterBinding('pods', 'pods', { kind: 'User', name: 'ada' }),
  clusterBinding('root', 'anything', { kind: 'User', name: 'root' }),
  clusterBinding('escalator', 'escalator', { kind: 'User', name: 'climber' }),
  clusterBinding('binder', 'binder', { kind: 'User', name: 'binder' }),
  roleBinding('shop', 'secrets', { kind: 'ClusterRole', name: 'secrets' }, { kind: 'User', name: 'ada' }),
])
  authorizer.update(object);

const plugin = rbacEscalation(authorizer);
const PLURALS: Record<string, string> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
};

/** Hands a write to the plug-in, as the admission chain does. */
function write(
  who: UserInfo,
  object: Role | ClusterRole | RoleBinding,
  oldObject?: Role | ClusterRole | RoleBinding,
): void {
  const { namespace, name = '' } = object.metadata;
  const kind = { group: GROUP, version: 'v1', kind: object.kind, plural: PLURALS[object.kind] } as Kind;
  const request: AdmissionRequest = {
    operation: oldObject ? 'UPDATE' : 'CREATE',
    kind,
    namespace,
    name,
    object: object as unknown as UnknownObject,
    oldObject: oldObject as unknown as UnknownObject | undefined,
    user: who,
    dryRun: false,
    options: {},
    warn: () => {},
    onSettled: () => {},
    rounds: new Rounds(),
  };
  plugin.validate?.(request);
}

const ada = user('ada', 'dev', 'system:authenticated');
const sum = (rules: PolicyRule[]): ClusterRole => ({
  ...clusterRole('sum', rules),
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'sum' } }] },
});

describe('one may', () => {
  it.each<[string, UserInfo, Role | ClusterRole | RoleBinding, (Role | ClusterRole | RoleBinding)?]>([
    ['put into a role what one holds', ada, clusterRole('r', [PODS])],
    ['put into a Role what one holds in its namespace', ada, role('shop', 'r', [PODS, SECRETS])],
    ['bind a role whose rules one holds', ada, clusterBinding('b', 'pods', { kind: 'User', name: 'bob' })],
    [
      'bind in a namespace what one holds there',
      ada,
      roleBinding('shop', 'b', { kind: 'ClusterRole', name: 'secrets' }, { kind: 'User', name: 'bob' }),
    ],
    ['do anything as a superuser', user('x', 'system:masters'), clusterRole('r', ANYTHING)],
    ['aggregate when holding everything', user('root'), sum([])],
    ['put anything into a role with the verb escalate', user('climber'), clusterRole('r', ANYTHING)],
    ['bind a role with the verb bind', user('binder'), clusterBinding('b', 'secrets', { kind: 'User', name: 'bob' })],
    [
      'change the metadata of what one could not grant',
      ada,
      clusterRole('r', [SECRETS], { a: 'b' }),
      clusterRole('r', [SECRETS]),
    ],
  ])('%s', (_, who, object, old) => {
    expect(() => write(who, object, old)).not.toThrow();
  });
});

describe('one may not', () => {
  const attempt = 'is attempting to grant RBAC permissions not currently held:\n';
  it.each<
    [string, UserInfo, Role | ClusterRole | RoleBinding, (Role | ClusterRole | RoleBinding) | undefined, number, string]
  >([
    [
      'put into a role what one does not hold',
      ada,
      clusterRole('r', [PODS, SECRETS, { nonResourceURLs: ['/metrics'], verbs: ['get'] }]),
      undefined,
      403,
      `clusterroles.${GROUP} "r" is forbidden: user "ada" (groups=["dev" "system:authenticated"]) ${attempt}{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}\n{NonResourceURLs:["/metrics"], Verbs:["get"]}`,
    ],
    [
      'add what one does not hold to a role',
      user('x'),
      clusterRole('r', [PODS]),
      clusterRole('r', []),
      403,
      `clusterroles.${GROUP} "r" is forbidden: user "x" (groups=[]) ${attempt}{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`,
    ],
    [
      'grant elsewhere what one holds in one namespace',
      ada,
      role('lab', 'r', [SECRETS]),
      undefined,
      403,
      `roles.${GROUP} "r" is forbidden: user "ada" (groups=["dev" "system:authenticated"]) ${attempt}{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    ],
    [
      'bind a role whose rules one does not hold',
      ada,
      clusterBinding('b', 'anything', { kind: 'User', name: 'ada' }),
      undefined,
      403,
      `clusterrolebindings.${GROUP} "b" is forbidden: user "ada" (groups=["dev" "system:authenticated"]) ${attempt}{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}`,
    ],
    [
      'add a subject to such a binding',
      ada,
      clusterBinding('root', 'anything', { kind: 'User', name: 'ada' }),
      clusterBinding('root', 'anything'),
      403,
      `clusterrolebindings.${GROUP} "root" is forbidden: user "ada" (groups=["dev" "system:authenticated"]) ${attempt}{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}`,
    ],
    [
      'bind another role with a bind for one',
      user('binder'),
      clusterBinding('b', 'pods'),
      undefined,
      403,
      `clusterrolebindings.${GROUP} "b" is forbidden: user "binder" (groups=[]) ${attempt}{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`,
    ],
    [
      'bind a role that is not there',
      ada,
      clusterBinding('b', 'later'),
      undefined,
      404,
      `clusterroles.${GROUP} "later" not found`,
    ],
    [
      'aggregate without holding everything',
      ada,
      sum([]),
      undefined,
      403,
      `clusterroles.${GROUP} "sum" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    ],
  ])('%s', (_, who, object, old, code, message) => {
    expect(() => write(who, object, old)).toThrow(expect.objectContaining({ message, code }));
  });

  it('use the leave to escalate ClusterRoles on Roles', () => {
    expect(() => write(user('climber'), role('shop', 'r', [PODS]))).toThrow('is attempting to grant');
  });
});
