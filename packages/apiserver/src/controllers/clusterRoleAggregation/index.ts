import { ClusterRole } from '@vireo/api';
import { keyOf, runController, WorkQueue } from '@vireo/kube';
import { aggregationUpdate } from '../../rbac/aggregate.ts';
import type { ControllerContext } from '../context.ts';

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
  const queue = new WorkQueue();
  // Any role may be part of any aggregate; there are few of those.
  const enqueueAggregates = () => {
    for (const role of roles.byIndex('aggregated', 'yes')) queue.add(keyOf(role));
  };
  roles.on({ added: enqueueAggregates, updated: enqueueAggregates, deleted: enqueueAggregates });
  await runController(
    {
      name: 'clusterrole-aggregation',
      queue,
      informers: [roles],
      log: context.log,
      metrics: context.metrics,
      reconcile: async (key) => {
        const role = roles.get(key);
        const rules = role && aggregationUpdate(role, roles.list());
        if (!rules) return;
        const { resourceVersion } = role.metadata;
        await client.of(ClusterRole).patch(key, { metadata: { resourceVersion }, rules }, { type: 'merge' });
      },
    },
    signal,
  );
}
