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
import { BackOff, type Waiting } from './backOff.ts';
import { hasPrecedence, overlappingSets, SET_INDEXES, selectorKey, setsSelecting, VMI_INDEXES } from './overlap.ts';
import { type Outcome, reconcileReplicaSet } from './reconcile.ts';
import { ReplicaCache } from './replicaCache.ts';
import { ReplicaSet, selects } from './replicaSet.ts';
import { type ReplicaState, replicaState } from './replicaState.ts';

const CONCURRENCY = 8;

/** Replicas become ready one after another; the status counts them at most this often. */
const STATUS_DELAY_MS = 200;

/** When to reconcile again should the informer never show what was done. Expectations expire a little before. */
const EXPECTATIONS_EXPIRED_MS = 301_000;

/** Keeps as many VMIs of each replica set as it wants. */
export async function startReplicaSetController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, metrics, clock = systemClock } = context;
  const sets = informers.for(ReplicaSet, { indexes: SET_INDEXES });
  const vmis = informers.for(Vmi, { indexes: VMI_INDEXES });
  const queue = new WorkQueue({ clock });
  const expectations = new Expectations(clock);
  const backOff = new BackOff();
  const replicas = new ReplicaCache();
  const act = replicaSetActions(client, recorder, expectations, (key) => vmis.get(key));

  sets.on(enqueueKey(queue));
  /** Their condition SelectorOverlap, and what they may adopt, depend on this set. */
  const enqueueOverlapping = (set: ReplicaSet) => {
    for (const other of overlappingSets(sets, set)) queue.add(keyOf(other));
  };
  sets.on({
    added: enqueueOverlapping,
    updated: (old, set) => {
      if (old.metadata.generation === set.metadata.generation && isDeleting(old) === isDeleting(set)) return;
      enqueueOverlapping(old);
      enqueueOverlapping(set);
    },
    deleted: enqueueOverlapping,
  });

  /** Until its expectations are satisfied nothing would be done for the set; the event that satisfies them enqueues it. */
  const enqueue = (key: string, afterMs = 0) => {
    if (expectations.isSatisfied(key)) queue.addAfter(key, afterMs);
  };
  const enqueueAdopters = (vmi: Vmi) => {
    if (VMI_INDEXES.adoptable(vmi).length === 0) return;
    for (const set of setsSelecting(sets, vmi.metadata, vmi.metadata.labels)) enqueue(keyOf(set));
  };
  // Before the handlers that enqueue: a reconcile reads it.
  vmis.on(replicas.handlers);
  vmis.on({
    added: (vmi) => {
      const key = ownerKey(vmi, ReplicaSet);
      if (key === undefined) return enqueueAdopters(vmi);
      expectations.creationObserved(key);
      enqueue(key);
    },
    updated: (old, vmi) => {
      const [before, key] = [ownerKey(old, ReplicaSet), ownerKey(vmi, ReplicaSet)];
      const [was, is] = [replicaState(old), replicaState(vmi)];
      if (before !== undefined && is === 'deleting') expectations.deletionObserved(before, vmi.metadata.uid ?? '');
      const isMoved = !deepEqual(old.metadata.labels, vmi.metadata.labels) || before !== key;
      if (!isMoved && was === is) return;
      if (before !== undefined && before !== key) enqueue(before);
      if (key === undefined) enqueueAdopters(vmi);
      else enqueue(key, !isMoved && isActive(was) && isActive(is) ? STATUS_DELAY_MS : 0);
    },
    deleted: (vmi) => {
      const key = ownerKey(vmi, ReplicaSet);
      if (key === undefined) return;
      expectations.deletionObserved(key, vmi.metadata.uid ?? '');
      // One that was deleted gracefully has been replaced before.
      enqueue(key, isDeleting(vmi) ? STATUS_DELAY_MS : 0);
    },
  });

  /** The VMIs that nobody controls and that this set may adopt. */
  const adoptable = (set: ReplicaSet): Vmi[] =>
    vmis
      .byIndex('adoptable', selectorKey(set) ?? '')
      .filter((vmi) => selects(set, vmi.metadata.labels) && hasPrecedence(sets, set, vmi));

  /** When to reconcile the set again if no event asks for it. `waiting`: the back-off when this pass began. */
  function requeue(key: string, set: ReplicaSet, outcome: Outcome, waiting: Waiting | undefined): Result | undefined {
    if (typeof outcome === 'object') {
      const requeueAfterMs = backOff.next(key, outcome.backOff, set.metadata.generation ?? 0, clock.now());
      log.debug('backing off', set, { requeueAfterMs, reason: outcome.backOff });
      return { requeueAfterMs };
    }
    if (outcome === 'skipped' && waiting) return { requeueAfterMs: waiting.remainingMs };
    if (outcome !== 'skipped') backOff.reset(key, 'refused');
    if (outcome === 'healthy') backOff.reset(key, 'crashLoop');
    return expectations.isSatisfied(key) ? undefined : { requeueAfterMs: EXPECTATIONS_EXPIRED_MS };
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
          backOff.delete(key);
          return undefined;
        }
        const nowMs = clock.now();
        const waiting = backOff.get(key, set.metadata.generation ?? 0, nowMs);
        const outcome = await reconcileReplicaSet(
          {
            set,
            replicas: replicas.get(set),
            toAdopt: adoptable(set),
            overlapping: overlappingSets(sets, set).map(({ metadata }) => metadata.name ?? ''),
            areExpectationsSatisfied: expectations.isSatisfied(key),
            backOff: waiting?.reason,
            now: new Date(nowMs),
          },
          act,
        );
        return requeue(key, set, outcome, waiting);
      },
    },
    signal,
  );
}

const isActive = (state: ReplicaState): boolean => state === 'notReady' || state === 'ready';
