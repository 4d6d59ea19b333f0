import {
  controllerOf,
  type Kind,
  type OwnerReference,
  type Pod,
  PodDisruptionBudget,
  type UnknownObject,
} from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { type Client, ignoreNotFound } from '@vireo/kube';
import { findKind, type ServedKinds } from '../servedKinds.ts';
import { type BudgetStatus, budgetStatus, EVICTION_TIMEOUT_MS, failedStatus, needsExpectedCount } from './status.ts';

export interface BudgetParts {
  readonly client: Client;
  readonly served: ServedKinds;
  readonly now: () => Date;
}

/** Brings a budget's status in line with its pods. Says when to look again, should an eviction stay without effect. */
export async function reconcileBudget(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  parts: BudgetParts,
): Promise<{ requeueAfterMs: number } | undefined> {
  const status = await wantedStatus(budget, pods, parts);
  if (!deepEqual(status, budget.status ?? {}))
    await parts.client.of(PodDisruptionBudget).updateStatus({ ...budget, status });
  return status.disruptedPods ? { requeueAfterMs: EVICTION_TIMEOUT_MS } : undefined;
}

async function wantedStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  parts: BudgetParts,
): Promise<BudgetStatus> {
  try {
    const expected = needsExpectedCount(budget) ? await expectedCount(pods, parts) : 0;
    return budgetStatus(budget, pods, expected, parts.now());
  } catch (error) {
    if (!(error instanceof UnknownScale)) throw error;
    return failedStatus(budget, error.message, parts.now());
  }
}

/** Nobody says how many pods there should be. */
class UnknownScale extends Error {}

/** The sum of what the pods' controllers want. */
async function expectedCount(pods: readonly Pod[], parts: BudgetParts): Promise<number> {
  const controllers = new Map<string, { owner: OwnerReference; namespace: string | undefined }>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (!owner) throw new UnknownScale(`found no controllers for pod "${pod.metadata.name}"`);
    controllers.set(owner.uid, { owner, namespace: pod.metadata.namespace });
  }
  let sum = 0;
  for (const { owner, namespace } of controllers.values()) sum += await replicasOf(owner, namespace, parts);
  return sum;
}

async function replicasOf(owner: OwnerReference, namespace: string | undefined, parts: BudgetParts): Promise<number> {
  const kind = findKind(parts.served, owner);
  if (!kind?.scale)
    throw new UnknownScale(
      `${owner.apiVersion} ${owner.kind} "${owner.name}" does not implement the scale subresource`,
    );
  const client = parts.client.of<UnknownObject>(kind as Kind<UnknownObject>);
  // A ReplicaSet in the middle of a roll-out speaks for a part only; its Deployment knows the whole.
  if (kind.kind === 'ReplicaSet') {
    const set = await client.find(owner.name, { namespace });
    const deployment = set && controllerOf(set);
    if (deployment) return replicasOf(deployment, namespace, parts);
  }
  const scale = await client.getScale(owner.name, { namespace }).catch(ignoreNotFound);
  return scale?.spec?.replicas ?? 0;
}
