import { controllerOf, isDeleting, PodDisruptionBudget } from '@vireo/api';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ControllerContext, ignoreNotFoundOrConflict, ownerKey, runController } from '@vireo/kube';

/**
 * Deletes disruption budgets of VMIs, which older versions of KubeVirt have made: evictions ask about guests, and a budget
 * would keep a guest from leaving that may go.
 */
export async function startDisruptionBudgetController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder } = context;
  const budgets = informers.for(PodDisruptionBudget);
  const vmis = informers.for(Vmi);
  await runController(
    {
      name: 'disruptionbudget',
      for: budgets,
      reads: [vmis],
      reconcile: async (key) => {
        const budget = budgets.get(key);
        const owner = budget && ownerKey(budget, Vmi);
        if (!budget || owner === undefined || isDeleting(budget)) return;
        await client.of(PodDisruptionBudget).deleteExactly(budget).catch(ignoreNotFoundOrConflict);
        const vmi = vmis.get(owner);
        if (vmi?.metadata.uid === controllerOf(budget)?.uid && vmi)
          recorder.event(vmi, 'Normal', 'SuccessfulDelete', `Deleted PodDisruptionBudget ${budget.metadata.name}`);
      },
    },
    context,
    signal,
  );
}
