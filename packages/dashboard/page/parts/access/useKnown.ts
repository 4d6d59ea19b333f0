import { useMemo } from 'react';
import type { Binding, Role } from '../../data/accessKinds.ts';
import { whole } from '../../data/kinds.ts';
import type { Known } from '../../decisions/access/abilities.ts';
import { useCollection } from '../session.tsx';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
export interface KnownAccess extends Known {
  /** What this user may not read. */
  readonly unreadable: readonly string[];
  readonly isLoading: boolean;
}

/** Roles and bindings that count in a namespace, as far as the user may read them. */
export function useKnown(namespace: string): KnownAccess {
  const below = `${RBAC}/namespaces/${encodeURIComponent(namespace)}`;
  const bindings = useCollection<Binding, Binding>(`${below}/rolebindings`, whole);
  const roles = useCollection<Role, Role>(`${below}/roles`, whole);
  const clusterBindings = useCollection<Binding, Binding>(`${RBAC}/clusterrolebindings`, whole);
  const clusterRoles = useCollection<Role, Role>(`${RBAC}/clusterroles`, whole);
  return useMemo(() => {
    const all = [
      ['RoleBindings of this namespace', bindings],
      ['Roles of this namespace', roles],
      ['ClusterRoleBindings', clusterBindings],
      ['ClusterRoles', clusterRoles],
    ] as const;
    return {
      bindings: bindings.rows,
      roles: roles.rows,
      clusterBindings: clusterBindings.rows,
      clusterRoles: clusterRoles.rows,
      unreadable: all.filter(([, { state }]) => state.kind === 'refused').map(([what]) => what),
      isLoading: all.some(([, { state }]) => state.kind === 'loading'),
    };
  }, [bindings, roles, clusterBindings, clusterRoles]);
}
