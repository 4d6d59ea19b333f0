import type { ConditionDraft } from '@vireo/api';
import { type Condition, setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import { type Pool, type PoolStatus, parse } from './pool.ts';
import { isReadyVm, type PoolVms } from './poolVms.ts';

/** What a pool's status follows from, beside the pool itself. */
export interface Observed {
  readonly vms: Pick<PoolVms, 'current' | 'deleting'>;
  /** The condition ReplicaFailure; `unchanged` where nothing was tried. */
  readonly failure: ConditionDraft | 'unchanged' | undefined;
  readonly now: Date;
}

/** The status that a pool should have. */
export function poolStatus(pool: Pool, { vms, failure, now }: Observed): PoolStatus {
  const { conditions: _, ...before } = pool.status ?? {};
  const conditions = poolConditions(pool, failure, now);
  const parsed = parse(pool);
  const all = [...vms.current, ...vms.deleting];
  return {
    ...before,
    replicas: all.length,
    readyReplicas: all.filter(isReadyVm).length,
    ...('selector' in parsed && { labelSelector: parsed.selector.toString() }),
    ...(conditions.length > 0 && { conditions }),
  };
}

/** Conditions are there while they hold, and gone otherwise, as KubeVirt has them. */
function poolConditions({ spec, status }: Pool, failure: Observed['failure'], now: Date): Condition[] {
  const types = ['ReplicaPaused', ...(failure === 'unchanged' ? [] : ['ReplicaFailure'])];
  const conditions = [spec.paused ? PAUSED : undefined, failure === 'unchanged' ? undefined : failure];
  return setConditions(
    status?.conditions,
    conditions.filter((each) => each !== undefined),
    now,
    types,
  );
}

const PAUSED: ConditionDraft = {
  type: 'ReplicaPaused',
  status: 'True',
  reason: 'SuccessfulPaused',
  message: 'Pool controller is paused',
};

export type FailureReason = 'FailedScaleOut' | 'FailedScaleIn' | 'FailedUpdate' | 'FailedRevisionPruning';

/** What was tried, in KubeVirt's words. */
const ATTEMPTS: Readonly<Record<FailureReason, string>> = {
  FailedScaleOut: 'error during scale out',
  FailedScaleIn: 'error during scale in',
  FailedUpdate: 'error during VM update',
  FailedRevisionPruning: 'error while pruning vmpool revisions',
};

export const failureCondition = (reason: FailureReason, message: string): ConditionDraft => ({
  type: 'ReplicaFailure',
  status: 'True',
  reason,
  message: `${ATTEMPTS[reason]}: ${message}`,
});
