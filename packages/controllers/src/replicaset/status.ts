import type { ConditionDraft } from '@vireo/api';
import { type Condition, setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import type { ReplicaSet, ReplicaSetStatus } from './replicaSet.ts';
import { parse } from './replicaSet.ts';
import type { Replicas } from './replicaState.ts';

/** What a set's status follows from, beside the set itself. */
export interface Observed {
  readonly replicas: Pick<Replicas, 'readyCount'> & { readonly active: { readonly length: number } };
  /** The condition ReplicaFailure; `unchanged` where nothing was tried. */
  readonly failure: ConditionDraft | 'unchanged' | undefined;
  /** Names of sets that select the same VMIs. */
  readonly overlapping: readonly string[];
  readonly now: Date;
}

/** The status that a set should have. */
export function replicaSetStatus(set: ReplicaSet, observed: Observed): ReplicaSetStatus {
  const { replicas } = observed;
  const { conditions: _, ...before } = set.status ?? {};
  const conditions = replicaSetConditions(set, observed);
  const parsed = parse(set);
  return {
    ...before,
    replicas: replicas.active.length,
    readyReplicas: replicas.readyCount,
    ...('selector' in parsed && { labelSelector: parsed.selector.toString() }),
    ...(conditions.length > 0 && { conditions }),
  };
}

/** Conditions are there while they hold, and gone otherwise, as KubeVirt has them. */
function replicaSetConditions({ spec, status }: ReplicaSet, { failure, overlapping, now }: Observed): Condition[] {
  const types = ['ReplicaPaused', 'SelectorOverlap', ...(failure === 'unchanged' ? [] : ['ReplicaFailure'])];
  const conditions = [
    spec.paused ? PAUSED : undefined,
    overlapCondition(overlapping),
    failure === 'unchanged' ? undefined : failure,
  ].filter((each) => each !== undefined);
  return setConditions(status?.conditions, conditions, now, types);
}

const PAUSED: ConditionDraft = {
  type: 'ReplicaPaused',
  status: 'True',
  reason: 'Paused',
  message: 'Controller got paused',
};

/** How many other sets the message names. */
const MAX_NAMES = 5;

function overlapCondition(others: readonly string[]): ConditionDraft | undefined {
  if (others.length === 0) return undefined;
  const names = others.slice(0, MAX_NAMES).join(', ');
  const more = others.length > MAX_NAMES ? ` and ${others.length - MAX_NAMES} more` : '';
  return {
    type: 'SelectorOverlap',
    status: 'True',
    reason: 'SelectorOverlap',
    message: `spec.selector overlaps with that of ${names}${more}: each set keeps the VMIs that it owns, and the oldest set adopts those without an owner; give each set its own labels`,
  };
}

export const failureCondition = (reason: 'FailedCreate' | 'FailedDelete', message: string): ConditionDraft => ({
  type: 'ReplicaFailure',
  status: 'True',
  reason,
  message,
});
