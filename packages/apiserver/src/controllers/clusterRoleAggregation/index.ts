import { ClusterRole } from '@vireo/api';
import { type ControllerContext, keyOf, runController, watch } from '@vireo/kube';
import { aggregationUpdate } from '../../rbac/aggregate.ts';

export const CLUSTER_ROLE_AGGREGATION_USER = 'system:serviceaccount:kube-system:clusterrole-aggregation-controller';

/** Keeps the rules of aggregated ClusterRoles equal to those of the roles that they select. */
export async function startClusterRoleAggregationController(
  context: ControllerContext,
  signal: AbortSignal,
): Promise<void> {
  const { client, informers } = context;
  const roles = informers.for(ClusterRole, {
    indexes: { aggregated: ({ aggregationRule }) => (aggregationRule ? ['yes'] : []) },
  });
  await runController(
    {
      name: 'clusterrole-aggregation',
      // Any role may be part of any aggregate; there are few of those.
      watches: [watch(roles, () => roles.byIndex('aggregated', 'yes').map(keyOf))],
      reconcile: async (key) => {
        const role = roles.get(key);
        const rules = role && aggregationUpdate(role, roles.list());
        if (rules) await client.of(ClusterRole).patchIfUnchanged(role, { rules });
      },
    },
    context,
    signal,
  );
}
