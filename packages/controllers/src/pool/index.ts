import { ControllerRevision, Node, ownersOf, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import {
  type ControllerContext,
  EXPECTATIONS_TIMEOUT_MS,
  Expectations,
  type Informers,
  keyOf,
  ownerKey,
  runController,
  systemClock,
  watch,
} from '@vireo/kube';
import { BackOff } from '../replicaset/backOff.ts';
import { backendStorageClaimKeys } from '../vmi/backendStorage.ts';
import { poolActions } from './act.ts';
import type { Lookup } from './disks.ts';
import { Pool } from './pool.ts';
import { reconcilePool } from './reconcile.ts';
import { forsakenEvents, isForsaken, STATUS_DELAY_MS, vmEvents, vmiEvents } from './watches.ts';

const CONCURRENCY = 8;

/** When to reconcile again if the informer never shows what was done: the expectations have just expired. */
const EXPECTATIONS_EXPIRED_MS = EXPECTATIONS_TIMEOUT_MS + 1_000;

/** Keeps as many VMs of each pool as it wants, and their templates as the pool has them. */
export async function startPoolController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const pools = informers.for(Pool);
  const { vms, vmis, nodes, revisions, disks, lookupIn } = caches(informers);
  const expectations = new Expectations(clock);
  const backOff = new BackOff();
  /** The keys of pools that roll a changed template out. */
  const updating = new Set<string>();
  const act = poolActions(client, recorder, expectations, {
    vm: (key) => vms.get(key),
    vmi: (key) => vmis.get(key),
  });
  const vmiOf = (vm: Vm): Vmi | undefined => {
    const vmi = vmis.get(keyOf(vm));
    return vmi && ownerKey(vmi, Vm) !== undefined ? vmi : undefined;
  };
  const nodeLabels = (vm: Vm) => nodes.get(vmiOf(vm)?.status?.nodeName ?? '')?.metadata.labels;

  const main = runController(
    {
      name: 'virtualmachinepool',
      concurrency: CONCURRENCY,
      for: pools,
      statusDelayMs: STATUS_DELAY_MS,
      watches: [
        watch(vms, vmEvents(expectations)),
        watch(
          vmis,
          vmiEvents(vms, expectations, (key) => updating.has(key)),
        ),
      ],
      reads: [revisions, nodes, ...disks],
      expectations,
      reconcile: async (key) => {
        const pool = pools.get(key);
        if (!pool) {
          backOff.delete(key);
          updating.delete(key);
          return undefined;
        }
        const { uid, namespace, generation = 0 } = pool.metadata;
        const waiting = backOff.get(key, generation, clock.now());
        const {
          result,
          isUpdating,
          requeueAfterMs = Number.POSITIVE_INFINITY,
        } = await reconcilePool(
          {
            pool,
            controlled: vms.byIndex('pool', uid),
            vmiOf,
            revisions: revisions.byIndex('owner', uid),
            lookup: lookupIn(namespace),
            selection: { nodeLabels, random: Math.random },
            areExpectationsSatisfied: expectations.isSatisfied(key),
            isBackingOff: waiting !== undefined,
            now: new Date(clock.now()),
          },
          act,
        );
        if (isUpdating) updating.add(key);
        else if (isUpdating === false) updating.delete(key);
        if (result === 'refused') return { requeueAfterMs: backOff.next(key, 'refused', generation, clock.now()) };
        if (result === 'done') backOff.reset(key, 'refused');
        const waits = [requeueAfterMs];
        if (waiting) waits.push(waiting.remainingMs);
        if (!expectations.isSatisfied(key)) waits.push(EXPECTATIONS_EXPIRED_MS);
        const afterMs = Math.min(...waits);
        return Number.isFinite(afterMs) ? { requeueAfterMs: afterMs } : undefined;
      },
    },
    context,
    signal,
  );
  const forsaken = runController(
    {
      name: 'virtualmachinepool-release',
      watches: [
        watch(vms, forsakenEvents(pools)),
        watch(pools, { deleted: ({ metadata }) => vms.byIndex('pool', metadata.uid).map(keyOf) }),
      ],
      reconcile: async (key) => {
        const vm = vms.get(key);
        if (vm && isForsaken(vm, pools)) await act.letGo(vm);
      },
    },
    context,
    signal,
  );
  await Promise.all([main, forsaken]);
}

function caches(informers: Informers) {
  const vms = informers.for(Vm, { indexes: { pool: poolUids } });
  const claims = informers.for(PersistentVolumeClaim, {
    indexes: { owner: ownersOf, stateOf: backendStorageClaimKeys },
  });
  const dataVolumes = informers.for(DataVolume, { indexes: { owner: ownersOf } });
  return {
    vms,
    vmis: informers.for(Vmi),
    nodes: informers.for(Node),
    revisions: informers.for(ControllerRevision, { indexes: { owner: ownersOf } }),
    disks: [claims, dataVolumes],
    lookupIn: (namespace: string | undefined): Lookup => ({
      vm: (name) => vms.get(`${namespace}/${name}`),
      claim: (name) => claims.get(`${namespace}/${name}`),
      dataVolume: (name) => dataVolumes.get(`${namespace}/${name}`),
      disksOf: ({ metadata: { uid } }) => ({
        claims: claims.byIndex('owner', uid),
        dataVolumes: dataVolumes.byIndex('owner', uid),
      }),
      stateClaims: (name) => claims.byIndex('stateOf', `${namespace}/${name}`),
    }),
  };
}

/** The uid of the pool that controls the VM. */
const poolUids = (vm: Vm): string[] =>
  ownerKey(vm, Pool) === undefined
    ? []
    : (vm.metadata.ownerReferences ?? []).filter(({ controller }) => controller).map(({ uid }) => uid);
