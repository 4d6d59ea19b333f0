import { type ConditionDraft, conditionOf, isConditionTrue, isDeleting } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isNamespaceTerminating } from '@vireo/kube';
import { errorMessage, type ReplicaSetActions } from './act.ts';
import type { BackOffReason } from './backOff.ts';
import { parse, type ReplicaSet, wantedReplicas } from './replicaSet.ts';
import { hasFailedEarly, NO_REPLICAS, type Replicas, withAdopted } from './replicaState.ts';
import { scaleDownOrder } from './scaleDown.ts';
import { failureCondition, replicaSetStatus } from './status.ts';
import { withTolerated } from './unknown.ts';

/** What is known of one set when it is reconciled. */
export interface ReplicaSetState {
  readonly set: ReplicaSet;
  readonly replicas: Replicas;
  /** The VMIs that the set selects and nobody controls. */
  readonly toAdopt: readonly Vmi[];
  /** Names of sets that select the same VMIs. */
  readonly overlapping: readonly string[];
  /** Whether the cache shows everything that was done for the set before. */
  readonly areExpectationsSatisfied: boolean;
  /** Why the set backs off at present. */
  readonly backOff: BackOffReason | undefined;
  readonly now: Date;
}

/**
 * `backOff`: it failed, and the next try has to wait; `skipped`: nothing was tried; `scaled`: nothing was refused;
 * `healthy`: besides, some VMI is ready, or none is wanted.
 */
export type ScaleOutcome = { readonly backOff: BackOffReason } | 'skipped' | 'scaled' | 'healthy';

/** How many VMIs are created or deleted for one set in one pass. */
export const BURST_REPLICAS = 250;
/** How many VMIs an event names. */
const MAX_NAMES = 5;

/** Brings the number of VMIs in line with what the set wants, and its status with what is there. */
export async function reconcileReplicaSet(state: ReplicaSetState, act: ReplicaSetActions): Promise<ScaleOutcome> {
  const { set } = state;
  const parsed = parse(set);
  if ('problem' in parsed) {
    await writeStatus(state, NO_REPLICAS, failureCondition('FailedCreate', parsed.problem), act);
    return 'skipped';
  }
  const isInactive = isDeleting(set) || set.spec.paused === true;
  const adopted = isInactive ? [] : await adoptAndRelease(set, state.toAdopt, state.replicas.toRelease, act);
  const replicas = withTolerated(withAdopted(state.replicas, adopted), state.now.getTime());
  const isBackingOff = state.backOff === 'refused' || (state.backOff === 'crashLoop' && replicas.readyCount === 0);
  if (isInactive || isBackingOff || !state.areExpectationsSatisfied) {
    await writeStatus(state, replicas, isInactive ? undefined : 'unchanged', act);
    return 'skipped';
  }
  const { failure, isTried } = await scale(set, replicas, act);
  await writeStatus(state, replicas, failure, act);
  if (failure) return { backOff: 'refused' };
  if (isTried && replicas.readyCount === 0 && replicas.finished.some(hasFailedEarly)) return { backOff: 'crashLoop' };
  return replicas.readyCount > 0 || wantedReplicas(set) === 0 ? 'healthy' : 'scaled';
}

/** Releases what the set no longer selects, adopts what it selects and nobody controls, and returns the adopted. */
async function adoptAndRelease(
  set: ReplicaSet,
  toAdopt: readonly Vmi[],
  toRelease: readonly Vmi[],
  act: ReplicaSetActions,
): Promise<Vmi[]> {
  await Promise.all(toRelease.map((vmi) => act.release(set, vmi)));
  if (toAdopt.length === 0) return [];
  // A set that is deleted without its VMIs must not adopt its own orphans again; the cache may not know of it yet.
  const current = await act.getUncached(set);
  if (!current || current.metadata.uid !== set.metadata.uid || isDeleting(current)) return [];
  const adopted = await Promise.all(toAdopt.map((vmi) => act.adopt(set, vmi)));
  return adopted.filter((vmi) => vmi !== undefined);
}

interface Scaled {
  readonly failure?: ConditionDraft;
  readonly isTried: boolean;
}

/** What is said of replicas that are replaced because nobody knows whether they run. */
export const unknownMessage = (names: readonly string[]): string =>
  names.length === 1
    ? `${names[0]} has been Unknown for longer than it tolerates: it is replaced, and deleted if it comes back`
    : `${names.join(', ')} have been Unknown for longer than they tolerate: they are replaced, and deleted if they come back`;

/** Creates missing VMIs or deletes surplus ones; if that went well, deletes the finished ones. */
async function scale(
  set: ReplicaSet,
  { active, unknown, finished }: Replicas,
  act: ReplicaSetActions,
): Promise<Scaled> {
  const surplus = active.length - wantedReplicas(set);
  if (surplus < 0) {
    const names = unknown.map(({ metadata }) => metadata.name).slice(0, MAX_NAMES);
    if (names.length > 0) act.recordEvent(set, 'Warning', 'ReplicasUnknown', unknownMessage(names));
    // The server has granted as many before as there are now, so the first batch may be as large, unless it refused since.
    const isTrusted = !isConditionTrue(set, 'ReplicaFailure');
    const initial = isTrusted ? Math.max(1, active.length) : 1;
    const { error } = await act.create(set, Math.min(-surplus, BURST_REPLICAS), initial);
    // What is wanted in a terminating namespace will not be wanted for long.
    if (error !== undefined && isNamespaceTerminating(error)) return { isTried: false };
    if (error !== undefined) return { failure: failureCondition('FailedCreate', errorMessage(error)), isTried: true };
  }
  const toDelete = surplus > 0 ? scaleDownOrder(active).slice(0, Math.min(surplus, BURST_REPLICAS)) : [];
  for (const [vmis, isFinished] of [[toDelete, false] as const, [finished.slice(0, BURST_REPLICAS), true] as const]) {
    const { error } = vmis.length > 0 ? await act.delete(set, vmis, isFinished) : {};
    if (error !== undefined) return { failure: failureCondition('FailedDelete', errorMessage(error)), isTried: true };
  }
  return { isTried: true };
}

async function writeStatus(
  { set, overlapping, now }: ReplicaSetState,
  replicas: Replicas,
  failure: ConditionDraft | 'unchanged' | undefined,
  act: ReplicaSetActions,
): Promise<void> {
  const status = replicaSetStatus(set, { replicas, failure, overlapping, now });
  await act.writeStatus(set, status);
  const begins = (type: string) => !isConditionTrue(set, type) && isConditionTrue({ status }, type);
  if (begins('ReplicaPaused')) act.recordEvent(set, 'Normal', 'SuccessfulPaused', 'Paused');
  if (isConditionTrue(set, 'ReplicaPaused') && !set.spec.paused)
    act.recordEvent(set, 'Normal', 'SuccessfulResumed', 'Resumed');
  if (begins('SelectorOverlap')) {
    const message = conditionOf({ status }, 'SelectorOverlap')?.message ?? '';
    act.recordEvent(set, 'Warning', 'SelectorOverlap', message);
  }
}
