import type { Persisted } from '@vireo/api';
import type { UserInfo } from '@vireo/kube';
import type { RoleBinding, RoleRef, Subject } from './types.ts';

/** One role that somebody holds, and through what. */
export interface BoundRole {
  readonly roleRef: RoleRef;
  readonly subject: Subject;
  readonly bindingName: string;
  /** Where the binding stands; undefined for a ClusterRoleBinding. */
  readonly namespace: string | undefined;
}

interface Scope {
  /** Subject → binding name → what it gives. */
  readonly bySubject: Map<string, Map<string, BoundRole>>;
  /** Binding name → the subjects that it is filed under. */
  readonly subjectsOf: Map<string, readonly string[]>;
}

/** Bindings by whom they bind: who asks is known, so only their bindings are ever looked at. */
export class BindingIndex {
  /** By namespace; '' is the cluster. */
  readonly #scopes = new Map<string, Scope>();

  set(binding: Persisted<RoleBinding>): void {
    this.delete(binding);
    const namespace = scopeOf(binding);
    const bindingName = binding.metadata.name;
    const scope = this.#scopes.get(namespace) ?? { bySubject: new Map(), subjectsOf: new Map() };
    this.#scopes.set(namespace, scope);
    const keys: string[] = [];
    for (const subject of binding.subjects ?? []) {
      const key = subjectKey(subject, namespace);
      if (key === undefined) continue;
      const roles = scope.bySubject.get(key) ?? new Map<string, BoundRole>();
      roles.set(bindingName, { roleRef: binding.roleRef, subject, bindingName, namespace: namespace || undefined });
      scope.bySubject.set(key, roles);
      keys.push(key);
    }
    scope.subjectsOf.set(bindingName, keys);
  }

  delete(binding: Persisted<RoleBinding>): void {
    const namespace = scopeOf(binding);
    const name = binding.metadata.name;
    const scope = this.#scopes.get(namespace);
    if (!scope) return;
    for (const key of scope.subjectsOf.get(name) ?? []) {
      const roles = scope.bySubject.get(key);
      roles?.delete(name);
      if (roles?.size === 0) scope.bySubject.delete(key);
    }
    scope.subjectsOf.delete(name);
    if (scope.subjectsOf.size === 0) this.#scopes.delete(namespace);
  }

  /** The roles of a user: those bound for the whole cluster, then those bound in `namespace` (none for ''). */
  *of(user: UserInfo, namespace: string): Generator<BoundRole> {
    const keys = [userKey(user.username), ...user.groups.map(groupKey)];
    for (const name of namespace === '' ? [''] : ['', namespace]) {
      const scope = this.#scopes.get(name);
      if (!scope) continue;
      for (const key of keys) yield* scope.bySubject.get(key)?.values() ?? [];
    }
  }
}

/** How messages name the binding that allowed something. */
export function describeBinding({ roleRef, subject, bindingName, namespace }: BoundRole): string {
  const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace ?? namespace}` : subject.name;
  const binding =
    namespace === undefined ? `ClusterRoleBinding "${bindingName}"` : `RoleBinding "${bindingName}/${namespace}"`;
  return `${binding} of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${who}"`;
}

const scopeOf = ({ kind, metadata }: RoleBinding): string =>
  kind === 'ClusterRoleBinding' ? '' : (metadata.namespace ?? '');

const userKey = (name: string): string => `User ${name}`;
const groupKey = (name: string): string => `Group ${name}`;

/** A ServiceAccount is the user that its token names. */
function subjectKey({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined {
  if (kind === 'User') return userKey(name);
  if (kind === 'Group') return groupKey(name);
  const home = namespace || bindingNamespace;
  return kind === 'ServiceAccount' && home !== '' ? userKey(`system:serviceaccount:${home}:${name}`) : undefined;
}
