import { Pod, PodDisruptionBudget } from '@vireo/api';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { matchesLabelSelector } from '../../labelSelector.ts';
import type { ServedKinds } from '../servedKinds.ts';
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
  const budgetsOf = (pod: Pod): string[] =>
    budgets
      .byIndex('namespace', pod.metadata.namespace ?? '')
      .filter(({ spec }) => matchesLabelSelector(spec?.selector, pod.metadata.labels))
      .map(keyOf);
  await runController(
    {
      name: 'disruption',
      for: budgets,
      watches: [
        watch(pods, {
          added: budgetsOf,
          updated: (old, pod) => [...budgetsOf(old), ...budgetsOf(pod)],
          deleted: budgetsOf,
        }),
      ],
      reconcile: async (key) => {
        const budget = budgets.get(key);
        if (!budget || budget.metadata.deletionTimestamp) return undefined;
        const selected = pods
          .byIndex('namespace', budget.metadata.namespace ?? '')
          .filter(({ metadata }) => matchesLabelSelector(budget.spec?.selector, metadata.labels));
        return reconcileBudget(budget, selected, { client, served, now: () => new Date(clock.now()) });
      },
    },
    context,
    signal,
  );
}
