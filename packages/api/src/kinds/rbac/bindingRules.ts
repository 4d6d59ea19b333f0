import type { Column } from '../../kind.ts';
import type { KubeObject } from '../../meta.ts';
import { ageColumn } from '../columns.ts';
import type { RoleRef, Subject } from './rules.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** RoleBinding and ClusterRoleBinding alike. */
interface AnyBinding extends KubeObject {
  roleRef: RoleRef;
  subjects?: Subject[];
}

const namesOf = ({ subjects = [] }: AnyBinding, kind: string): string =>
  subjects
    .filter((subject) => subject.kind === kind)
    .map(({ namespace, name }) => (kind === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name))
    .join(', ');

export const bindingColumns: readonly Column<AnyBinding>[] = [
  {
    name: 'Role',
    type: 'string',
    description: 'The role that is granted.',
    value: ({ roleRef }) => `${roleRef?.kind}/${roleRef?.name}`,
  },
  ageColumn,
  {
    name: 'Users',
    type: 'string',
    priority: 1,
    description: 'Users that get the role.',
    value: (binding) => namesOf(binding, 'User'),
  },
  {
    name: 'Groups',
    type: 'string',
    priority: 1,
    description: 'Groups that get the role.',
    value: (binding) => namesOf(binding, 'Group'),
  },
  {
    name: 'ServiceAccounts',
    type: 'string',
    priority: 1,
    description: 'Service accounts that get the role.',
    value: (binding) => namesOf(binding, 'ServiceAccount'),
  },
];

/** Users and groups belong to the RBAC group, service accounts to the core group. */
export function applyBindingDefaults({ roleRef, subjects = [] }: AnyBinding): void {
  if (roleRef) roleRef.apiGroup ||= RBAC_GROUP;
  for (const subject of subjects) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= RBAC_GROUP;
  }
}
