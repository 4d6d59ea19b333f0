import { type ConditionDraft, conditionOf, isConditionTrue, isDeleting } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { POOL_DELETION_ANNOTATION, POOL_FINALIZER } from '@vireo/api/kinds/pool/names.ts';
import type { PoolActions } from './act.ts';
import { keptDisks, type Lookup, mayHaveDisks } from './disks.ts';
import { indexOf } from './indices.ts';
import { type Pool, parse } from './pool.ts';
import { type PoolVms, poolVms } from './poolVms.ts';
import { preservesState } from './preservation.ts';
import type { Revision } from './revision.ts';
import { prune, rollOut } from './rollOut.ts';
import { heal, scale } from './scale.ts';
import type { SelectionContext } from './selection.ts';
import { failureCondition, poolStatus } from './status.ts';

/** What is known of one pool when it is reconciled. */
export interface PoolState {
  readonly pool: Pool;
  /** The VMs that the pool controls. */
  readonly controlled: readonly Vm[];
  readonly vmiOf: (vm: Vm) => Vmi | undefined;
  /** The revisions that the pool controls. */
  readonly revisions: readonly Revision[];
  readonly lookup: Lookup;
  readonly selection: SelectionContext;
  /** Whether the cache shows everything that was done for the pool before. */
  readonly areExpectationsSatisfied: boolean;
  /** Whether the server refused something a moment ago. */
  readonly isBackingOff: boolean;
  readonly now: Date;
}

/** `refused`: it failed, and the next try has to wait; `skipped`: nothing was tried. */
export interface Outcome {
  readonly result: 'refused' | 'skipped' | 'done';
  readonly requeueAfterMs?: number;
  /** A changed template is being rolled out. */
  readonly isUpdating?: boolean;
}

/** Brings the VMs in line with what the pool wants, and its status with what is there. */
export async function reconcilePool(state: PoolState, act: PoolActions): Promise<Outcome> {
  const { pool } = state;
  const vms = poolVms(pool, state.controlled);
  if (isDeleting(pool)) return end(state, act);
  await letGo(state, vms.deleting, act);
  const parsed = parse(pool);
  if ('problem' in parsed) {
    await writeStatus(state, vms, failureCondition('FailedScaleOut', parsed.problem), act);
    return { result: 'skipped' };
  }
  if (!pool.metadata.finalizers?.includes(POOL_FINALIZER)) {
    // The change comes back as a new version of the pool.
    await act.addFinalizer(pool);
    return { result: 'skipped' };
  }
  const isPaused = pool.spec.paused === true;
  if (isPaused || state.isBackingOff || !state.areExpectationsSatisfied) {
    await writeStatus(state, vms, isPaused ? undefined : 'unchanged', act);
    return { result: 'skipped' };
  }
  await settle(state, vms, act);
  const { failure, requeueAfterMs, isUpdating } = await work(state, vms, act);
  await writeStatus(state, vms, failure, act);
  return {
    result: failure ? 'refused' : 'done',
    isUpdating,
    ...(requeueAfterMs !== undefined && { requeueAfterMs }),
  };
}

/** One step after the other; the next is taken when the one before has nothing left to do. */
async function work(state: PoolState, vms: PoolVms, act: PoolActions) {
  let failure: ConditionDraft | undefined;
  let isUpdating = false;
  const waits: number[] = [];
  for (const take of [heal, scale, rollOut, prune]) {
    const step = await take(state, vms, act);
    failure ??= step.failure;
    if (step.requeueAfterMs !== undefined) waits.push(step.requeueAfterMs);
    if (take === rollOut) isUpdating = !step.isDone;
    if (!step.isDone) break;
  }
  return { isUpdating, failure, ...(waits.length > 0 && { requeueAfterMs: Math.min(...waits) }) };
}

/** Releases what the pool no longer selects, and gives VMs the disks that were kept for them. */
async function settle({ pool, lookup }: PoolState, { current, toRelease }: PoolVms, act: PoolActions): Promise<void> {
  await Promise.all(toRelease.map((vm) => act.release(pool, vm)));
  const hasDisks = mayHaveDisks(pool);
  for (const vm of current) {
    // The controller died before it could delete it; whether it still should is decided anew.
    if (vm.metadata.annotations?.[POOL_DELETION_ANNOTATION] !== undefined) await act.unmark(vm);
    const index = hasDisks ? indexOf(vm.metadata.name) : undefined;
    const kept = index === undefined ? undefined : keptDisks(pool, vm, index, lookup);
    if (kept && kept.dataVolumes.length + kept.claims.length > 0) await act.adoptDisks(vm, kept);
  }
}

/** Lets deleted VMs go, once those of their disks that are to stay are not theirs any more. */
async function letGo({ pool, lookup }: PoolState, deleting: readonly Vm[], act: PoolActions): Promise<void> {
  const held = deleting.filter(({ metadata }) => metadata.finalizers?.includes(POOL_FINALIZER));
  await Promise.all(
    held.map(async (vm) => {
      if (preservesState(pool, vm)) await act.keepDisks(pool, vm, lookup.disksOf(vm));
      await act.letGo(vm);
    }),
  );
}

/** A pool that goes holds nothing back: its VMs go with it, or stay without it. */
async function end({ pool, controlled }: PoolState, act: PoolActions): Promise<Outcome> {
  await Promise.all(controlled.map((vm) => act.letGo(vm)));
  await act.removeFinalizer(pool);
  return { result: 'skipped' };
}

async function writeStatus(
  { pool, now }: PoolState,
  vms: PoolVms,
  failure: ConditionDraft | 'unchanged' | undefined,
  act: PoolActions,
): Promise<void> {
  const status = poolStatus(pool, { vms, failure, now });
  await act.writeStatus(pool, status);
  const begins = (type: string) => !isConditionTrue(pool, type) && isConditionTrue({ status }, type);
  if (begins('ReplicaPaused')) act.recordEvent(pool, 'Normal', 'SuccessfulPaused', 'Pool is paused');
  if (isConditionTrue(pool, 'ReplicaPaused') && !pool.spec.paused)
    act.recordEvent(pool, 'Normal', 'SuccessfulResume', 'Pool is unpaused');
  if (begins('ReplicaFailure')) {
    const { reason = '', message = '' } = conditionOf({ status }, 'ReplicaFailure') ?? {};
    act.recordEvent(pool, 'Warning', reason, message);
  }
}
