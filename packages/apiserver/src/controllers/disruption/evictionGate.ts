import { isReason, type Persisted, type Pod, PodDisruptionBudget, type UnknownObject } from '@vireo/api';
import { Client, type Transport } from '@vireo/kube';
import type { Lookup } from '../../strategies/strategy.ts';
import type { EvictionGate } from '../../subresources/pods.ts';
import { evictionDecision } from './eviction.ts';

/** Under contention every lost race means that another eviction got through, so the tries are bounded by the budget. */
const MAX_ATTEMPTS = 100;

/** Asks the disruption budgets before an eviction and books it with the one that allows it. */
export function evictionGate(transport: Transport, lookup: Pick<Lookup, 'list'>): EvictionGate {
  const budgets = new Client(transport).of(PodDisruptionBudget);
  return async (object: UnknownObject, dryRun: boolean) => {
    const pod = object as unknown as Persisted<Pod>;
    for (let attempt = 1; ; attempt++) {
      const candidates = lookup.list('policy', 'poddisruptionbudgets', pod.metadata.namespace);
      const decision = evictionDecision(pod, candidates as unknown as Persisted<PodDisruptionBudget>[], new Date());
      if (decision.action === 'refuse') throw decision.error;
      if (decision.action === 'allow' || dryRun) return;
      try {
        await budgets.updateStatus({ ...decision.budget, status: decision.status });
        return;
      } catch (error) {
        if (!isReason(error, 'Conflict') || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  };
}
