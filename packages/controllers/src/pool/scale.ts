import { type ConditionDraft, isConditionTrue, isReason } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { KEPT_FOR_INDEX_LABEL, KEPT_FOR_POOL_LABEL } from '@vireo/api/kinds/pool/names.ts';
import { isNamespaceTerminating } from '@vireo/kube';
import { errorMessage } from '../replicaset/act.ts';
import type { PoolActions } from './act.ts';
import { healedInMs } from './autoheal.ts';
import { foreignDisks, indexState } from './disks.ts';
import { nextIndices } from './indices.ts';
import { scaleInPolicy, scaleInStrategy, wantedReplicas } from './pool.ts';
import type { PoolVms } from './poolVms.ts';
import type { PoolState } from './reconcile.ts';
import { currentRevision } from './revision.ts';
import { select } from './selection.ts';
import { failureCondition } from './status.ts';

/** How many VMs are created or deleted for one pool in one pass. */
export const BURST_REPLICAS = 250;
/** When to look again at what will be free soon: the name of a revision, or the disks of a VM that is gone. */
const SOON_MS = 500;

/**
 * What came of a step. `isDone`: there is nothing more to do, and the next step can be taken; otherwise what was done
 * shows first, or `requeueAfterMs` says when to look again.
 */
export interface Step {
  readonly isDone: boolean;
  readonly failure?: ConditionDraft;
  readonly requeueAfterMs?: number;
}

export const DONE: Step = { isDone: true };
const STARTED: Step = { isDone: false };
const LATER: Step = { isDone: false, requeueAfterMs: SOON_MS };

/** Deletes VMs that do not get up, so that others take their places. */
export async function heal({ pool, now }: PoolState, { current }: PoolVms, act: PoolActions): Promise<Step> {
  const { autohealing } = pool.spec;
  if (!autohealing) return DONE;
  const waits = current.map((vm) => ({ vm, ms: healedInMs(vm, autohealing, now.getTime()) }));
  const failing = waits.filter(({ ms }) => ms === 0).map(({ vm }) => vm);
  const requeueAfterMs = Math.min(...waits.map(({ ms }) => ms));
  if (failing.length === 0) return { isDone: true, ...(Number.isFinite(requeueAfterMs) && { requeueAfterMs }) };
  return deleted(await act.delete(pool, failing.slice(0, BURST_REPLICAS), 'Replacement'));
}

/** Creates missing VMs or deletes surplus ones. Those that go count until they are gone. */
export async function scale(state: PoolState, vms: PoolVms, act: PoolActions): Promise<Step> {
  const surplus = vms.current.length + vms.deleting.length - wantedReplicas(state.pool);
  if (surplus < 0) return scaleOut(state, Math.min(-surplus, BURST_REPLICAS), vms.current.length, act);
  const isProactive = scaleInStrategy(state.pool) === 'proactive';
  return surplus > vms.deleting.length && isProactive
    ? scaleIn(state, vms.current, surplus - vms.deleting.length, act)
    : DONE;
}

async function scaleOut(state: PoolState, count: number, have: number, act: PoolActions): Promise<Step> {
  const { pool, revisions, lookup } = state;
  const { indices, isWaiting, foreign } = nextIndices(count, (index) => indexState(pool, index, lookup));
  if (indices.length === 0) return LATER;
  if (foreign.length > 0) recordSkipped(state, foreign, act);
  try {
    const revision = currentRevision(pool, revisions)?.metadata.name ?? (await act.createRevision(pool));
    if (revision === undefined) return LATER;
    // The server has granted as many before as there are now, so the first batch may be as large, unless it refused since.
    const initial = isConditionTrue(pool, 'ReplicaFailure') ? 1 : Math.max(1, have);
    const { error } = await act.create(pool, indices, revision, initial);
    if (error !== undefined) throw error;
  } catch (error) {
    // What is wanted in a terminating namespace will not be wanted for long.
    if (isNamespaceTerminating(error)) return STARTED;
    if (isReason(error, 'AlreadyExists')) return LATER;
    return { isDone: false, failure: failureCondition('FailedScaleOut', errorMessage(error)) };
  }
  return isWaiting ? LATER : STARTED;
}

/** How many numbers are told about at a time: somebody may have hundreds of such disks. */
const TOLD_NUMBERS = 5;

/** Says which numbers have no VM, because there are disks of their names, and how to change that. */
function recordSkipped({ pool, lookup }: PoolState, skipped: readonly number[], act: PoolActions): void {
  const { uid } = pool.metadata;
  for (const index of skipped.slice(0, TOLD_NUMBERS)) {
    const labels = `${KEPT_FOR_POOL_LABEL}=${uid},${KEPT_FOR_INDEX_LABEL}=${index}`;
    const disks = foreignDisks(pool, index, lookup).join(' and ');
    const message = `The number ${index} is not used: ${disks} is there and was not kept for it by this pool. Delete it, or label it ${labels} to give it to the next VM of that number`;
    act.recordEvent(pool, 'Warning', 'NumberSkipped', message);
  }
}

async function scaleIn(state: PoolState, current: readonly Vm[], count: number, act: PoolActions): Promise<Step> {
  const { pool, selection } = state;
  const chosen = select(current, scaleInPolicy(pool), selection).slice(0, Math.min(count, BURST_REPLICAS));
  const result = chosen.length > 0 ? await act.delete(pool, chosen, 'ScaleIn') : { succeeded: 0 };
  const step = deleted(result);
  if (step.failure || chosen.length >= Math.min(count, BURST_REPLICAS)) return step;
  const path = 'spec.scaleInStrategy.proactive.selectionPolicy.selectors';
  const message = `${count} VMs are too many, and ${path} select ${chosen.length} of them: change them or the labels of VMs`;
  // Nothing more can be done about it: updates go on.
  return { isDone: chosen.length === 0, failure: failureCondition('FailedScaleIn', message) };
}

const deleted = ({ error }: { readonly error?: unknown }): Step =>
  error === undefined ? STARTED : { isDone: false, failure: failureCondition('FailedScaleIn', errorMessage(error)) };
