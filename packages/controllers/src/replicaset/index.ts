import { deepEqual } from '@vireo/api/json.ts';
import {
  Expectations,
  enqueueKey,
  keyOf,
  ownerKey,
  type Result,
  runController,
  systemClock,
  WorkQueue,
} from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { isDeleting, Vmi } from '../kinds.ts';
import { replicaSetActions } from './act.ts';
import { hasPrecedence, overlapping, SET_INDEXES, selectorKey, setsSelecting, VMI_INDEXES } from './overlap.ts';
import { type Progress, reconcileReplicaSet } from './reconcile.ts';
import { type Held, Restraint } from './restraint.ts';
import { Roster } from './roster.ts';
import { ReplicaSet, selects } from './set.ts';
import { standingOf } from './standing.ts';

const CONCURRENCY = 8;

/** Machines of a set get ready one after another; how many are is told so often at most. */
const SETTLE_MS = 200;

/** Should the server never show what was done: when to look again. Expectations expire a little before. */
const LOST_MS = 301_000;

/** Keeps as many instances of each replica set as it wants. */
export async function startReplicaSetController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, metrics, clock = systemClock } = context;
  const sets = informers.for(ReplicaSet, { indexes: SET_INDEXES });
  const vmis = informers.for(Vmi, { indexes: VMI_INDEXES });
  const queue = new WorkQueue({ clock });
  const expectations = new Expectations(clock);
  const restraint = new Restraint();
  const roster = new Roster();
  const act = replicaSetActions(client, recorder, expectations, (key) => vmis.get(key));

  sets.on(enqueueKey(queue));
  /** Those that share instances with the set: what they say of it, and what they may adopt, has changed. */
  const wakeOverlapping = (set: ReplicaSet) => {
    for (const other of overlapping(sets, set)) queue.add(keyOf(other));
  };
  sets.on({
    added: wakeOverlapping,
    updated: (old, set) => {
      if (old.metadata.generation === set.metadata.generation && isDeleting(old) === isDeleting(set)) return;
      wakeOverlapping(old);
      wakeOverlapping(set);
    },
    deleted: wakeOverlapping,
  });

  /** While something that was done does not show yet nothing more would be; its last sign wakes the set. */
  const wake = (key: string, afterMs = 0) => {
    if (expectations.isSatisfied(key)) queue.addAfter(key, afterMs);
  };
  const wakeTakers = (vmi: Vmi) => {
    if (VMI_INDEXES.free(vmi).length === 0) return;
    for (const set of setsSelecting(sets, vmi.metadata, vmi.metadata.labels)) wake(keyOf(set));
  };
  // Before whoever wakes sets: they look at it.
  vmis.on(roster.handlers);
  vmis.on({
    added: (vmi) => {
      const key = ownerKey(vmi, ReplicaSet);
      if (key === undefined) return wakeTakers(vmi);
      expectations.creationObserved(key);
      wake(key);
    },
    updated: (old, vmi) => {
      const [before, key] = [ownerKey(old, ReplicaSet), ownerKey(vmi, ReplicaSet)];
      const [was, is] = [standingOf(old), standingOf(vmi)];
      if (before !== undefined && is === 'going') expectations.deletionObserved(before, vmi.metadata.uid ?? '');
      const isMoved = !deepEqual(old.metadata.labels, vmi.metadata.labels) || before !== key;
      if (!isMoved && was === is) return;
      if (before !== undefined && before !== key) wake(before);
      if (key === undefined) wakeTakers(vmi);
      else wake(key, !isMoved && counts(was) && counts(is) ? SETTLE_MS : 0);
    },
    deleted: (vmi) => {
      const key = ownerKey(vmi, ReplicaSet);
      if (key === undefined) return;
      expectations.deletionObserved(key, vmi.metadata.uid ?? '');
      // One that was deleted gracefully has long been replaced.
      wake(key, isDeleting(vmi) ? SETTLE_MS : 0);
    },
  });

  /** The instances of nobody that are the set's to take. */
  const adoptable = (set: ReplicaSet): Vmi[] =>
    vmis
      .byIndex('free', selectorKey(set) ?? '')
      .filter((vmi) => selects(set, vmi.metadata.labels) && hasPrecedence(sets, set, vmi));

  /** When the set is to be looked at again, as far as no event will say. `held`: as it was when this pass began. */
  function next(key: string, set: ReplicaSet, progress: Progress, held: Held | undefined): Result | undefined {
    if (typeof progress === 'object') {
      const requeueAfterMs = restraint.hold(key, progress.hindered, set.metadata.generation ?? 0, clock.now());
      log.debug('held back', set, { requeueAfterMs, why: progress.hindered });
      return { requeueAfterMs };
    }
    if (progress === 'idle' && held) return { requeueAfterMs: held.remainingMs };
    if (progress !== 'idle') restraint.release(key, 'refused');
    if (progress === 'well') restraint.release(key, 'fruitless');
    return expectations.isSatisfied(key) ? undefined : { requeueAfterMs: LOST_MS };
  }

  await runController(
    {
      name: 'virtualmachineinstancereplicaset',
      queue,
      informers: [sets, vmis],
      concurrency: CONCURRENCY,
      log,
      metrics,
      reconcile: async (key) => {
        const set = sets.get(key);
        if (!set) {
          expectations.forget(key);
          restraint.forget(key);
          return undefined;
        }
        const nowMs = clock.now();
        const held = restraint.of(key, set.metadata.generation ?? 0, nowMs);
        const progress = await reconcileReplicaSet(
          {
            set,
            members: roster.of(set),
            toAdopt: adoptable(set),
            overlaps: overlapping(sets, set).map(({ metadata }) => metadata.name ?? ''),
            isCaughtUp: expectations.isSatisfied(key),
            held: held?.why,
            now: new Date(nowMs),
          },
          act,
        );
        return next(key, set, progress, held);
      },
    },
    signal,
  );
}

const counts = (standing: string): boolean => standing === 'starting' || standing === 'ready';
