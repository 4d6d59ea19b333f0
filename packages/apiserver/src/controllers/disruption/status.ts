import { type Condition, isConditionTrue, type Pod, type PodDisruptionBudget, withCondition } from '@vireo/api';

/** How long an evicted pod may take to show that it is going before it counts as healthy again. */
export const EVICTION_TIMEOUT_MS = 2 * 60 * 1000;

export type BudgetStatus = NonNullable<PodDisruptionBudget['status']>;

/** Whether the budget asks how many pods there should be, rather than how many there are. */
export const needsExpectedCount = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string';

/**
 * The status that a budget should show. `expected`: how many pods their controllers want; only looked at where
 * `needsExpectedCount` says so.
 */
export function budgetStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  expected: number,
  now: Date,
): BudgetStatus {
  const expectedPods = needsExpectedCount(budget) ? expected : pods.length;
  const disruptedPods = pendingEvictions(budget.status?.disruptedPods ?? {}, pods, now);
  const currentHealthy = pods.filter(
    (pod) =>
      !pod.metadata.deletionTimestamp && isConditionTrue(pod, 'Ready') && !(`${pod.metadata.name}` in disruptedPods),
  ).length;
  const desiredHealthy = Math.max(0, desiredCount(budget, expectedPods));
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  return {
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    expectedPods,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    observedGeneration: budget.metadata.generation,
    conditions: withDisruptionAllowed(budget, allowedCondition(disruptionsAllowed), now),
  };
}

/** The status when the number of expected pods cannot be found: nothing may be evicted. */
export const failedStatus = (budget: PodDisruptionBudget, message: string, now: Date): BudgetStatus => ({
  ...budget.status,
  disruptionsAllowed: 0,
  observedGeneration: budget.metadata.generation,
  conditions: withDisruptionAllowed(budget, { status: 'False', reason: 'SyncFailed', message }, now),
});

function desiredCount({ spec }: PodDisruptionBudget, expected: number): number {
  if (spec?.maxUnavailable !== undefined) return expected - resolve(spec.maxUnavailable, expected);
  return resolve(spec?.minAvailable ?? 1, expected);
}

/** A number, or a share of the whole, rounded up. */
const resolve = (value: number | string, of: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * of) / 100);

/** Evictions that were granted and do not show yet. */
function pendingEvictions(
  granted: Readonly<Record<string, string>>,
  pods: readonly Pod[],
  now: Date,
): Record<string, string> {
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  return Object.fromEntries(
    Object.entries(granted).filter(([name, at]) => {
      const pod = byName.get(name);
      return pod && !pod.metadata.deletionTimestamp && now.getTime() - Date.parse(at) < EVICTION_TIMEOUT_MS;
    }),
  );
}

export const allowedCondition = (disruptionsAllowed: number): Pick<Condition, 'status' | 'reason' | 'message'> =>
  disruptionsAllowed > 0
    ? { status: 'True', reason: 'SufficientPods', message: '' }
    : { status: 'False', reason: 'InsufficientPods', message: '' };

/** The budget's conditions with `DisruptionAllowed` as given. */
export const withDisruptionAllowed = (
  { status, metadata }: PodDisruptionBudget,
  condition: Pick<Condition, 'status' | 'reason' | 'message'>,
  now: Date,
): Condition[] =>
  withCondition(
    status?.conditions,
    { type: 'DisruptionAllowed', observedGeneration: metadata.generation, lastTransitionTime: '', ...condition },
    now,
  );
