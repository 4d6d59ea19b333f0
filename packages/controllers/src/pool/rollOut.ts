import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { errorMessage } from '../replicaset/act.ts';
import type { PoolActions } from './act.ts';
import { indexOf } from './indices.ts';
import { maxUnavailable, updatePolicy, updateStrategy } from './pool.ts';
import type { PoolVms } from './poolVms.ts';
import type { PoolState } from './reconcile.ts';
import { currentRevision, keptSpec, revisionOf, unusedRevisions } from './revision.ts';
import { BURST_REPLICAS, DONE, type Step } from './scale.ts';
import { select } from './selection.ts';
import { failureCondition } from './status.ts';
import { isDown, isOutdatedVm, type Member, planUpdate, type SpecLookup } from './update.ts';
import { updatePatch } from './vmFromPool.ts';

/** When to look again at an update that waits for VMs to be available. */
const RETRY_MS = 3000;

/** Brings VMs in line with the pool's template, and their VMIs where the strategy says so. */
export async function rollOut(state: PoolState, vms: PoolVms, act: PoolActions): Promise<Step> {
  const { pool, revisions, selection, vmiOf } = state;
  const strategy = updateStrategy(pool);
  if (strategy === 'unmanaged') return DONE;
  const kept = new Map(revisions.map((revision) => [revision.metadata.name, keptSpec(revision)]));
  const specOf: SpecLookup = (name) => kept.get(name);
  const current = currentRevision(pool, revisions)?.metadata.name;
  const isOutdated = memoized((vm) => isOutdatedVm(vm, pool.spec, current, specOf));
  // Mostly there is nothing to do, and a large pool is looked at often while it grows.
  const concerned = vms.current.filter((vm) => {
    const vmi = strategy === 'proactive' ? vmiOf(vm) : undefined;
    return isOutdated(vm) || (vmi && revisionOf(vmi) !== revisionOf(vm));
  });
  if (concerned.length === 0) return DONE;
  const candidates = select(concerned, updatePolicy(pool), selection);
  const outdated = candidates.filter(isOutdated);
  try {
    if (outdated.length > 0) return await updateVms(state, outdated.slice(0, BURST_REPLICAS), current, specOf, act);
    return strategy === 'proactive' ? await updateVmis(state, vms, candidates, specOf, act) : DONE;
  } catch (error) {
    return { isDone: false, failure: failureCondition('FailedUpdate', errorMessage(error)) };
  }
}

/** The answer for all VMs of a revision, found once. */
function memoized(isOutdated: (vm: Vm) => boolean): (vm: Vm) => boolean {
  const known = new Map<string | undefined, boolean>();
  return (vm) => {
    const revision = revisionOf(vm);
    const before = known.get(revision);
    if (before !== undefined) return before;
    const now = isOutdated(vm);
    known.set(revision, now);
    return now;
  };
}

async function updateVms(
  { pool }: PoolState,
  outdated: PoolVms['current'],
  current: string | undefined,
  specOf: SpecLookup,
  act: PoolActions,
): Promise<Step> {
  const revision = current ?? (await act.createRevision(pool));
  if (revision === undefined) return { isDone: false, requeueAfterMs: RETRY_MS };
  const results = await Promise.allSettled(
    outdated.map(async (vm) => {
      const index = indexOf(vm.metadata.name);
      if (index === undefined) return;
      const patch = updatePatch(vm, index, pool, revision, specOf(revisionOf(vm) ?? ''));
      if (patch) await act.update(pool, vm, patch);
    }),
  );
  const rejected = results.find((each) => each.status === 'rejected');
  if (rejected) throw rejected.reason;
  return { isDone: false };
}

async function updateVmis(
  { pool, vmiOf }: PoolState,
  { current, deleting }: PoolVms,
  candidates: PoolVms['current'],
  specOf: SpecLookup,
  act: PoolActions,
): Promise<Step> {
  const members: Member[] = candidates.map((vm) => ({ vm, vmi: vmiOf(vm) }));
  const down = current.filter((vm) => isDown(vm, vmiOf(vm))).length + deleting.length;
  const plan = planUpdate(members, maxUnavailable(pool) - down, specOf);
  await Promise.all(plan.relabel.map((each) => act.relabel(each)));
  await Promise.all(plan.restart.map((each) => act.restart(pool, each)));
  if (plan.replace.length > 0) {
    const replaced = plan.replace.map(({ vm }) => vm);
    const { error } = await act.delete(pool, replaced, 'Replacement');
    if (error !== undefined) throw error;
  }
  const isDone = [plan.relabel, plan.restart, plan.replace].every((each) => each.length === 0) && !plan.isPending;
  return { isDone, ...(plan.isPending && { requeueAfterMs: RETRY_MS }) };
}

/** Deletes the revisions that nothing was made from that is still there. */
export async function prune(state: PoolState, vms: PoolVms, act: PoolActions): Promise<Step> {
  const { pool, revisions, vmiOf } = state;
  if (revisions.length < 2) return DONE;
  const made = [...vms.current, ...vms.deleting].flatMap((vm) => [vm, vmiOf(vm) ?? []].flat());
  try {
    for (const revision of unusedRevisions(pool, revisions, made)) await act.deleteRevision(revision);
    return DONE;
  } catch (error) {
    return { isDone: false, failure: failureCondition('FailedRevisionPruning', errorMessage(error)) };
  }
}
