import { Pod, PodDisruptionBudget } from '@vireo/api';
import { enqueueKey, keyOf, runController, systemClock, WorkQueue } from '@vireo/kube';
import { matchesLabelSelector } from '../../labelSelector.ts';
import type { ControllerContext, ServedKinds } from '../context.ts';
import { reconcileBudget } from './reconcile.ts';

export const DISRUPTION_USER = 'system:serviceaccount:kube-system:disruption-controller';

/** Keeps the status of PodDisruptionBudgets: how many pods are well and how many may be evicted now. */
export async function startDisruptionController(
  context: ControllerContext & { readonly served: ServedKinds },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, served, clock = systemClock } = context;
  const byNamespace = { namespace: ({ metadata }: { metadata: { namespace?: string } }) => [metadata.namespace ?? ''] };
  const budgets = informers.for(PodDisruptionBudget, { indexes: byNamespace });
  const pods = informers.for(Pod, { indexes: byNamespace });
  const queue = new WorkQueue();
  const enqueueFor = (pod: Pod) => {
    for (const budget of budgets.byIndex('namespace', pod.metadata.namespace ?? ''))
      if (matchesLabelSelector(budget.spec?.selector, pod.metadata.labels)) queue.add(keyOf(budget));
  };
  budgets.on(enqueueKey(queue));
  pods.on({
    added: enqueueFor,
    updated: (old, pod) => {
      enqueueFor(old);
      enqueueFor(pod);
    },
    deleted: enqueueFor,
  });
  await runController(
    {
      name: 'disruption',
      queue,
      informers: [budgets, pods],
      log: context.log,
      metrics: context.metrics,
      reconcile: async (key) => {
        const budget = budgets.get(key);
        if (!budget || budget.metadata.deletionTimestamp) return undefined;
        const selected = pods
          .byIndex('namespace', budget.metadata.namespace ?? '')
          .filter(({ metadata }) => matchesLabelSelector(budget.spec?.selector, metadata.labels));
        return reconcileBudget(budget, selected, { client, served, now: () => new Date(clock.now()) });
      },
    },
    signal,
  );
}
