import { forbidden, notFound, type UnknownObject } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { UserInfo } from '@vireo/kube';
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts';
import { type RbacAuthorizer, SUPERUSER_GROUP } from './authorize.ts';
import { describeRules, goList, missingRules } from './cover.ts';
import { type ClusterRole, type PolicyRule, RBAC_GROUP, type RoleBinding } from './types.ts';

type Judge = Pick<RbacAuthorizer, 'authorize' | 'rulesFor' | 'rulesOfRole'>;

const FULL_AUTHORITY: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
const ROLES = ['roles', 'clusterroles'];
const BINDINGS = ['rolebindings', 'clusterrolebindings'];

/**
 * Keeps people from giving, to others or themselves, what they do not have: an admission plug-in (validate only) over
 * writes of roles and bindings. The verbs `escalate` on roles and `bind` on the bound role are the way around. That a
 * roleRef never changes is checked with the rest of the object, in `strategies/rbac`.
 */
export const rbacEscalation = (judge: Judge): AdmissionPlugin => ({
  name: 'RBACEscalation',
  validate(request) {
    const { kind, object, oldObject, user, operation } = request;
    if (kind.group !== RBAC_GROUP || !object || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
    if (user.groups.includes(SUPERUSER_GROUP) || (oldObject && grantsTheSame(object, oldObject))) return;
    if (ROLES.includes(kind.plural)) checkRole(judge, request, object as unknown as ClusterRole);
    if (BINDINGS.includes(kind.plural)) checkBinding(judge, request, object as unknown as RoleBinding);
  },
});

/** Why `user` may not hand out `rules` in a namespace; undefined if they may. */
function escalationProblem(
  judge: Judge,
  user: UserInfo,
  namespace: string | undefined,
  rules: readonly PolicyRule[],
): string | undefined {
  const held = judge.rulesFor(user, namespace ?? '');
  const missing = missingRules(held.rules, rules);
  if (missing.length === 0) return undefined;
  const errors = held.problems.length > 0 ? `; resolution errors: [${held.problems.join(', ')}]` : '';
  const who = `user ${JSON.stringify(user.username)} (groups=${goList(user.groups)})`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${describeRules(missing).join('\n')}${errors}`;
}

/** Labels, annotations, owners and finalizers give nobody anything; whoever may write the object may change them. */
const grantsTheSame = (object: UnknownObject, old: UnknownObject): boolean =>
  ['rules', 'aggregationRule', 'subjects', 'roleRef'].every((name) => deepEqual(object[name], old[name]));

function checkRole(judge: Judge, request: AdmissionRequest, role: ClusterRole): void {
  const { kind, name, namespace, user, oldObject } = request;
  const resource = { group: RBAC_GROUP, resource: kind.plural };
  if (judge.authorize({ user, verb: 'escalate', ...resource, name, namespace }).allowed) return;
  const problem = escalationProblem(judge, user, namespace, role.rules ?? []);
  if (problem) throw forbidden(resource, name, problem);
  // What a selector will match is not known yet, so using one takes everything.
  const aggregates = (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
  if (aggregates && !deepEqual(role.aggregationRule, oldObject?.aggregationRule)) {
    if (escalationProblem(judge, user, namespace, FULL_AUTHORITY))
      throw forbidden(resource, name, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

function checkBinding(judge: Judge, request: AdmissionRequest, binding: RoleBinding): void {
  const { kind, name, namespace, user } = request;
  const { roleRef } = binding;
  const role = { group: RBAC_GROUP, resource: roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles' };
  if (judge.authorize({ user, verb: 'bind', ...role, name: roleRef.name, namespace }).allowed) return;
  const rules = judge.rulesOfRole({ roleRef, namespace });
  if (!rules) throw notFound(role, roleRef.name);
  const problem = escalationProblem(judge, user, namespace, rules);
  if (problem) throw forbidden({ group: RBAC_GROUP, resource: kind.plural }, name, problem);
}
