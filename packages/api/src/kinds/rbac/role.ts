import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, opt, struct } from '../../schema.ts';
import { PolicyRule } from './rules.ts';

export const RoleSchema = struct('io.k8s.api.rbac.v1.Role', 'Permissions in a namespace.', {
  ...objectFields,
  rules: opt(2, list(PolicyRule, 'atomic'), 'Rules of the role. A request is allowed if any of them allows it.'),
});
export interface Role extends Infer<typeof RoleSchema> {}

export const Role = defineKind<Role>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  namespaced: true,
  schema: RoleSchema,
  columns: [
    {
      name: 'Created At',
      type: 'date',
      description: 'Time at which the object was created.',
      value: ({ metadata }) => metadata.creationTimestamp,
    },
  ],
});
