import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, opt, struct } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { PolicyRule } from './rules.ts';

export const AggregationRule = struct(
  'io.k8s.api.rbac.v1.AggregationRule',
  'Combines the rules of other cluster roles.',
  {
    clusterRoleSelectors: opt(1, list(LabelSelector, 'atomic'), 'Selects the cluster roles by their labels.'),
  },
);
export interface AggregationRule extends Infer<typeof AggregationRule> {}

export const ClusterRoleSchema = struct(
  'io.k8s.api.rbac.v1.ClusterRole',
  'Permissions in all namespaces and on cluster-scoped objects.',
  {
    ...objectFields,
    aggregationRule: opt(3, AggregationRule, 'Roles whose rules make up this one.'),
    rules: opt(2, list(PolicyRule, 'atomic'), 'Rules of the role. A request is allowed if any of them allows it.'),
  },
);
export interface ClusterRole extends Infer<typeof ClusterRoleSchema> {}

export const ClusterRole = defineKind<ClusterRole>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
  schema: ClusterRoleSchema,
  columns: [
    {
      name: 'Created At',
      type: 'date',
      description: 'Time at which the object was created.',
      value: ({ metadata }) => metadata.creationTimestamp,
    },
  ],
});
