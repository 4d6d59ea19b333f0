import {
  ApiError,
  forbidden,
  isConditionTrue,
  type Persisted,
  type Pod,
  type PodDisruptionBudget,
  timestamp,
  tooManyRequests,
} from '@vireo/api';
import { matchesLabelSelector } from '../../labelSelector.ts';
import { allowedCondition, type BudgetStatus, withDisruptionAllowed } from './status.ts';

const VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";
const MAX_DISRUPTED_PODS = 2000;

export type EvictionDecision =
  | { readonly action: 'allow' }
  /** Allowed once this status has been written: it records the disruption. */
  | {
      readonly action: 'recordDisruption';
      readonly budget: Persisted<PodDisruptionBudget>;
      readonly status: BudgetStatus;
    }
  | { readonly action: 'refuse'; readonly error: ApiError };

/** Whether a pod may be evicted, given the budgets of its namespace. */
export function evictionDecision(
  pod: Persisted<Pod>,
  budgets: readonly Persisted<PodDisruptionBudget>[],
  now: Date,
): EvictionDecision {
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || pod.metadata.deletionTimestamp)
    return { action: 'allow' };
  const [budget, ...others] = budgets.filter(({ spec }) => matchesLabelSelector(spec?.selector, pod.metadata.labels));
  if (!budget) return { action: 'allow' };
  if (others.length > 0)
    return refuse(
      new ApiError(
        undefined,
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
        undefined,
        500,
      ),
    );
  return isUnhealthyAndFree(pod, budget) ? { action: 'allow' } : recordDisruption(pod, budget, now);
}

/** A pod that serves nobody need not be kept, as long as the others are well enough. */
function isUnhealthyAndFree(pod: Persisted<Pod>, { spec, status }: Persisted<PodDisruptionBudget>): boolean {
  if (isConditionTrue(pod, 'Ready')) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

function recordDisruption(pod: Persisted<Pod>, budget: Persisted<PodDisruptionBudget>, now: Date): EvictionDecision {
  const { status = {} } = budget;
  const name = budget.metadata.name;
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0, disruptedPods = {} } = status;
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0))
    return refuse(violation(`The disruption budget ${name} is still being processed by the server.`, 10));
  if (disruptionsAllowed < 0) return refuse(budgetForbidden(name, 'pdb disruptions allowed is negative'));
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS)
    return refuse(
      budgetForbidden(name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'),
    );
  if (disruptionsAllowed === 0) {
    const failure = status.conditions?.find(({ reason }) => reason === 'SyncFailed');
    return refuse(
      violation(
        failure
          ? `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${failure.message}`
          : `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
        0,
      ),
    );
  }
  const left = disruptionsAllowed - 1;
  return {
    action: 'recordDisruption',
    budget,
    status: {
      ...status,
      disruptionsAllowed: left,
      disruptedPods: { ...disruptedPods, [pod.metadata.name]: timestamp(now) },
      conditions: withDisruptionAllowed(budget, allowedCondition(left), now),
    },
  };
}

const refuse = (error: ApiError): EvictionDecision => ({ action: 'refuse', error });

const violation = (message: string, retryAfterSeconds: number): ApiError =>
  tooManyRequests(VIOLATION, retryAfterSeconds, [{ reason: 'DisruptionBudget', message }]);

const budgetForbidden = (name: string, why: string): ApiError =>
  forbidden({ group: 'policy', resource: 'poddisruptionbudgets' }, name, why);
