import {
  type ClusterRoleBinding,
  type FieldError,
  field,
  type RoleBinding,
  type RoleRef,
  type Subject,
} from '@vireo/api';
import { dnsSubdomain, pathSegment } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { each, invalidFor, oneOf, requiredText } from '../fields.ts';
import { immutable } from '../immutable.ts';

const GROUP = 'rbac.authorization.k8s.io';

export const roleBindingStrategy = defineStrategy<RoleBinding>({
  nameRule: 'path',
  createOnUpdate: true,
  validate: ({ roleRef, subjects }) => [
    ...validateRoleRef(roleRef, ['ClusterRole', 'Role']),
    ...each(subjects, 'subjects', (subject, path) => validateSubject(subject, path, true)),
  ],
  validateUpdate: (binding, old) => immutable('roleRef', binding.roleRef, old.roleRef, 'cannot change roleRef'),
});

export const clusterRoleBindingStrategy = defineStrategy<ClusterRoleBinding>({
  nameRule: 'path',
  createOnUpdate: true,
  validate: ({ roleRef, subjects }) => [
    ...validateRoleRef(roleRef, ['ClusterRole']),
    ...each(subjects, 'subjects', (subject, path) => validateSubject(subject, path, false)),
  ],
  validateUpdate: (binding, old) => immutable('roleRef', binding.roleRef, old.roleRef, 'cannot change roleRef'),
});

const validateRoleRef = (roleRef: RoleRef | undefined, kinds: readonly string[]): FieldError[] => [
  ...((roleRef?.apiGroup ?? GROUP) === GROUP
    ? []
    : [field.notSupported('roleRef.apiGroup', roleRef?.apiGroup, [GROUP])]),
  ...(roleRef?.kind && kinds.includes(roleRef.kind)
    ? []
    : [field.notSupported('roleRef.kind', roleRef?.kind ?? '', kinds)]),
  ...requiredText('roleRef.name', roleRef?.name, pathSegment),
];

function validateSubject(subject: Subject, path: string, namespaced: boolean): FieldError[] {
  const missingName = subject.name ? [] : [field.required(`${path}.name`)];
  switch (subject.kind) {
    case 'ServiceAccount':
      return [
        ...missingName,
        ...(subject.name ? invalidFor(`${path}.name`, subject.name, dnsSubdomain(subject.name)) : []),
        ...(subject.apiGroup ? [field.notSupported(`${path}.apiGroup`, subject.apiGroup, [''])] : []),
        ...(subject.namespace || namespaced ? [] : [field.required(`${path}.namespace`)]),
      ];
    case 'User':
    case 'Group':
      return [...missingName, ...oneOf(`${path}.apiGroup`, subject.apiGroup, [GROUP])];
    default:
      return [
        ...missingName,
        field.notSupported(`${path}.kind`, subject.kind ?? '', ['Group', 'ServiceAccount', 'User']),
      ];
  }
}
