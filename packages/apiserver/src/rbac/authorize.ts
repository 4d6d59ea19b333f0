import type { Persisted } from '@vireo/api';
import type { UserInfo } from '@vireo/kube';
import { BindingIndex, type BoundRole, describeBinding } from './bindings.ts';
import { type Attributes, ruleAllows } from './match.ts';
import type { PolicyRule, Role, RoleBinding } from './types.ts';

export interface Decision {
  readonly allowed: boolean;
  /** Which binding allows it; for a refusal, which roles could not be found. May be empty. */
  readonly reason: string;
}

/** Decides who may do what. */
export interface Authorizer {
  authorize(attributes: Attributes): Decision;
  rulesFor(user: UserInfo, namespace: string): UserRules;
}

export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** Roles that bindings name but that do not exist. */
  readonly problems: readonly string[];
}

/** Its members may do everything, whatever the roles say: nobody can lock the administrator out. */
export const SUPERUSER_GROUP = 'system:masters';

const CACHED_DECISIONS = 8192;

/**
 * RBAC over roles and bindings that are fed one by one, as the store changes. A decision costs in proportion to the
 * bindings of the user, however many there are of others.
 *
 * @example
 * const authorizer = new RbacAuthorizer();
 * store.watch('rbac.authorization.k8s.io/', 0, ({ type, current }) =>
 *   type === 'DELETED' ? authorizer.remove(current.object) : authorizer.update(current.object));
 */
export class RbacAuthorizer implements Authorizer {
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #bindings = new BindingIndex();
  readonly #decisions = new Map<string, Decision>();

  /** Takes in a new or changed Role, ClusterRole, RoleBinding or ClusterRoleBinding. */
  update(object: Persisted): void {
    if (isRole(object)) this.#roles.set(roleKey(object.kind, object.metadata), object.rules ?? []);
    else if (isBinding(object)) this.#bindings.set(object);
    else return;
    this.#decisions.clear();
  }

  /** Forgets a deleted one. */
  remove(object: Persisted): void {
    if (isRole(object)) this.#roles.delete(roleKey(object.kind, object.metadata));
    else if (isBinding(object)) this.#bindings.delete(object);
    else return;
    this.#decisions.clear();
  }

  authorize(attributes: Attributes): Decision {
    if (attributes.user.groups.includes(SUPERUSER_GROUP)) return { allowed: true, reason: '' };
    const key = decisionKey(attributes);
    const known = this.#decisions.get(key);
    if (known) return known;
    const decision = this.#decide(attributes);
    if (this.#decisions.size >= CACHED_DECISIONS) this.#decisions.clear();
    this.#decisions.set(key, decision);
    return decision;
  }

  /** Every rule that holds for a user in a namespace, those of the cluster scope first. */
  rulesFor(user: UserInfo, namespace: string): UserRules {
    const everything = user.groups.includes(SUPERUSER_GROUP) ? EVERYTHING : [];
    const bound = [...this.#bindings.of(user, namespace)];
    return {
      rules: [...everything, ...bound.flatMap((role) => this.rulesOfRole(role) ?? [])],
      problems: bound.filter((role) => !this.rulesOfRole(role)).map(missingRole),
    };
  }

  /** The rules that a roleRef leads to; undefined where there is no such role. */
  rulesOfRole(role: Pick<BoundRole, 'roleRef' | 'namespace'>): readonly PolicyRule[] | undefined {
    const { kind, name } = role.roleRef;
    return this.#roles.get(roleKey(kind, { name, namespace: role.namespace }));
  }

  #decide(attributes: Attributes): Decision {
    const missing: string[] = [];
    // Paths belong to no namespace, so RoleBindings say nothing of them.
    const namespace = attributes.path === undefined ? (attributes.namespace ?? '') : '';
    for (const role of this.#bindings.of(attributes.user, namespace)) {
      const rules = this.rulesOfRole(role);
      if (!rules) missing.push(missingRole(role));
      else if (rules.some((rule) => ruleAllows(rule, attributes)))
        return { allowed: true, reason: `RBAC: allowed by ${describeBinding(role)}` };
    }
    return { allowed: false, reason: missing.length > 0 ? `RBAC: ${joinProblems(missing)}` : '' };
  }
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

const isRole = (object: Persisted): object is Persisted<Role> =>
  object.kind === 'Role' || object.kind === 'ClusterRole';

const isBinding = (object: Persisted): object is Persisted<RoleBinding> =>
  object.kind === 'RoleBinding' || object.kind === 'ClusterRoleBinding';

const roleKey = (kind: string, { namespace = '', name }: { namespace?: string; name: string }): string =>
  kind === 'ClusterRole' ? `ClusterRole/${name}` : `Role/${namespace}/${name}`;

const missingRole = ({ roleRef }: Pick<BoundRole, 'roleRef'>): string =>
  `${roleRef.kind.toLowerCase()}.rbac.authorization.k8s.io "${roleRef.name}" not found`;

const joinProblems = (problems: readonly string[]): string =>
  problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;

/** Names may hold any character, so they are quoted, not joined. */
const decisionKey = ({ user, verb, group, resource, subresource, name, namespace, path }: Attributes): string =>
  JSON.stringify([user.username, user.groups, verb, group, resource, subresource, name, namespace, path]);
