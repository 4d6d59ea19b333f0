import { type Kind, ResourceQuota, type UnknownObject } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { type ControllerContext, keyOf, runController, WorkQueue, watch } from '@vireo/kube';
import { namesByResource, quotaStatus } from '../../admission/resourceQuotaStatus.ts';
import { storedUsage } from '../../admission/resourceQuotaUsage.ts';
import { KindMonitors } from '../kindMonitors.ts';
import type { ServedKinds } from '../servedKinds.ts';

export const RESOURCE_QUOTA_USER = 'system:serviceaccount:kube-system:resourcequota-controller';

/** A burst of new objects becomes one write of the status. */
const GATHER_MS = 50;

/** Shows in every ResourceQuota what is used. Only the kinds that some quota counts are watched. */
export async function startResourceQuotaController(
  context: ControllerContext & { readonly served: ServedKinds },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, served, log } = context;
  const quotas = informers.for(ResourceQuota, {
    indexes: {
      namespace: ({ metadata }) => [metadata.namespace ?? ''],
      resource: (quota) => [...namesByResource(quota).keys()].map(({ group, plural }) => `${group}/${plural}`),
    },
  });
  const queue = new WorkQueue();
  const enqueueFor = (kind: Kind) => (object: UnknownObject) => {
    for (const quota of quotas.byIndex('namespace', object.metadata.namespace ?? ''))
      if (
        [...namesByResource(quota).keys()].some(({ group, plural }) => group === kind.group && plural === kind.plural)
      )
        queue.addAfter(keyOf(quota), GATHER_MS);
  };
  const monitors = new KindMonitors({
    client,
    served,
    log,
    indexes: { namespace: ({ metadata }) => [metadata.namespace ?? ''] },
    isWanted: ({ group, plural, namespaced, virtual }) =>
      namespaced && !virtual && quotas.byIndex('resource', `${group}/${plural}`).length > 0,
    handlers: (kind) => {
      const enqueue = enqueueFor(kind);
      return {
        added: enqueue,
        updated: (old, object) => {
          if (!deepEqual(storedUsage(kind, old), storedUsage(kind, object))) enqueue(object);
        },
        deleted: enqueue,
      };
    },
  });
  monitors.start(signal);
  await runController(
    {
      name: 'resource-quota',
      queue,
      for: quotas,
      watches: [watch(quotas, () => void monitors.follow())],
      reconcile: async (key) => {
        await monitors.whenSynced();
        const quota = quotas.get(key);
        if (!quota || quota.metadata.deletionTimestamp) return;
        const status = quotaStatus(
          quota,
          ({ group, plural }) =>
            monitors.objects(group, plural)?.byIndex('namespace', quota.metadata.namespace ?? '') ?? [],
        );
        if (deepEqual(status, quota.status ?? {})) return;
        await client.of(ResourceQuota).updateStatus({ ...quota, status });
      },
    },
    context,
    signal,
  );
}
