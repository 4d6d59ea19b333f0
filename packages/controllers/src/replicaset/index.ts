import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import {
  type ControllerContext,
  EXPECTATIONS_TIMEOUT_MS,
  Expectations,
  runController,
  systemClock,
  watch,
} from '@vireo/kube';
import { replicaSetActions } from './act.ts';
import { BackOff } from './backOff.ts';
import { adoptableVmis, overlappingSets, SET_INDEXES, VMI_INDEXES } from './overlap.ts';
import { reconcileReplicaSet } from './reconcile.ts';
import { ReplicaCache } from './replicaCache.ts';
import { ReplicaSet } from './replicaSet.ts';
import { toleratedForMs } from './unknown.ts';
import { STATUS_DELAY_MS, setEvents, vmiEvents } from './watches.ts';

const CONCURRENCY = 8;

/** When to reconcile again if the informer never shows what was done: the expectations have just expired. */
const EXPECTATIONS_EXPIRED_MS = EXPECTATIONS_TIMEOUT_MS + 1_000;

/** Keeps as many VMIs of each replica set as it wants. */
export async function startReplicaSetController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const sets = informers.for(ReplicaSet, { indexes: SET_INDEXES });
  const vmis = informers.for(Vmi, { indexes: VMI_INDEXES });
  const expectations = new Expectations(clock);
  const backOff = new BackOff();
  const replicas = new ReplicaCache();
  const act = replicaSetActions(client, recorder, expectations, (key) => vmis.get(key));

  await runController(
    {
      name: 'virtualmachineinstancereplicaset',
      concurrency: CONCURRENCY,
      for: sets,
      statusDelayMs: STATUS_DELAY_MS,
      watches: [watch(sets, setEvents(sets)), watch(vmis, vmiEvents(sets, replicas, expectations))],
      expectations,
      reconcile: async (key, { log }) => {
        const set = sets.get(key);
        if (!set) {
          backOff.delete(key);
          return undefined;
        }
        const { generation = 0 } = set.metadata;
        const nowMs = clock.now();
        const waiting = backOff.get(key, generation, nowMs);
        const current = replicas.get(set);
        const outcome = await reconcileReplicaSet(
          {
            set,
            replicas: current,
            toAdopt: adoptableVmis(sets, vmis, set),
            overlapping: overlappingSets(sets, set).map(({ metadata }) => metadata.name),
            areExpectationsSatisfied: expectations.isSatisfied(key),
            backOff: waiting?.reason,
            now: new Date(nowMs),
          },
          act,
        );
        if (typeof outcome === 'object') {
          const requeueAfterMs = backOff.next(key, outcome.backOff, generation, clock.now());
          log.debug('backing off', set, { requeueAfterMs, reason: outcome.backOff });
          return { requeueAfterMs };
        }
        if (outcome === 'skipped' && waiting) return { requeueAfterMs: waiting.remainingMs };
        if (outcome !== 'skipped') backOff.reset(key, 'refused');
        if (outcome === 'healthy') backOff.reset(key, 'crashLoop');
        // No event tells when one that is Unknown has been so for too long.
        const waits = [toleratedForMs(current.unknown, clock.now())];
        if (!expectations.isSatisfied(key)) waits.push(EXPECTATIONS_EXPIRED_MS);
        const requeueAfterMs = Math.min(...waits);
        return Number.isFinite(requeueAfterMs) ? { requeueAfterMs } : undefined;
      },
    },
    context,
    signal,
  );
}
