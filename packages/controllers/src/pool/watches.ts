import { isConditionTrue, isDeleting } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { POOL_DELETION_ANNOTATION, POOL_FINALIZER } from '@vireo/api/kinds/pool/names.ts';
import { type Expectations, type Informer, type Key, keyOf, ownerKey, type WatchHandlers } from '@vireo/kube';
import { Pool } from './pool.ts';
import { revisionOf } from './revision.ts';

/** VMs become ready one after another; the status counts them at most this often. */
export const STATUS_DELAY_MS = 500;
/** An update that waits for VMs goes on this soon after one of them has changed. */
const UPDATE_DELAY_MS = 200;

const poolKey = (vm: Vm | undefined): string | undefined => vm && ownerKey(vm, Pool);

/** What a pool acts on, beside labels. */
const facts = ({ metadata, status }: Vm) => [
  metadata.finalizers?.includes(POOL_FINALIZER),
  metadata.annotations?.[POOL_DELETION_ANNOTATION],
  isConditionTrue({ status }, 'Ready'),
  status?.printableStatus,
  status?.startFailure?.consecutiveFailCount,
];

/** A VM concerns the pool that controls it. Expectations take note first. */
export function vmEvents(expectations: Expectations): WatchHandlers<Vm> {
  /** Until its expectations are satisfied nothing would be done for a pool; the event that satisfies them enqueues it. */
  const ifSatisfied = (key: string | undefined, afterMs = 0): Key[] =>
    key !== undefined && expectations.isSatisfied(key) ? [{ key, afterMs }] : [];
  return {
    added: (vm) => {
      const key = poolKey(vm);
      expectations.creationObserved(key);
      return ifSatisfied(key);
    },
    updated: (old, vm) => {
      const [before, key] = [poolKey(old), poolKey(vm)];
      if (before === undefined && key === undefined) return [];
      if (isDeleting(vm)) {
        expectations.deletionObserved(before, vm.metadata.uid);
        // Its disks may have to be kept, and it waits for that whatever else the pool waits for.
        if (key !== undefined && !isDeleting(old)) return [key];
      }
      if (before !== key) return [...ifSatisfied(before), ...ifSatisfied(key)];
      if (!deepEqual(old.metadata.labels, vm.metadata.labels)) return ifSatisfied(key);
      return deepEqual(facts(old), facts(vm)) ? [] : ifSatisfied(key, STATUS_DELAY_MS);
    },
    deleted: (vm) => {
      const key = poolKey(vm);
      expectations.deletionObserved(key, vm.metadata.uid);
      return ifSatisfied(key);
    },
  };
}

/** A VMI concerns the pool of its VM while an update is under way; otherwise its VM says all that counts. */
export function vmiEvents(
  vms: Pick<Informer<Vm>, 'get'>,
  expectations: Expectations,
  isUpdating: (key: string) => boolean,
): WatchHandlers<Vmi> {
  const keyOfPool = (vmi: Vmi): string | undefined => {
    const vm = ownerKey(vmi, Vm);
    return vm === undefined ? undefined : poolKey(vms.get(vm));
  };
  const later = (key: string | undefined): Key[] =>
    key !== undefined && isUpdating(key) ? [{ key, afterMs: UPDATE_DELAY_MS }] : [];
  const factsOf = (vmi: Vmi) => [isDeleting(vmi), isConditionTrue(vmi, 'Ready'), vmi.status?.phase, revisionOf(vmi)];
  return {
    updated: (old, vmi) => {
      if (deepEqual(factsOf(old), factsOf(vmi))) return [];
      const key = keyOfPool(vmi);
      if (isDeleting(vmi)) expectations.deletionObserved(key, vmi.metadata.uid);
      return later(key);
    },
    deleted: (vmi) => {
      const key = keyOfPool(vmi);
      expectations.deletionObserved(key, vmi.metadata.uid);
      return later(key);
    },
  };
}

/** Whether a VM is held for a pool that does not control it: it was detached, or the pool is gone. */
export const isForsaken = (vm: Vm, pools: Pick<Informer<Pool>, 'get'>): boolean => {
  if (!vm.metadata.finalizers?.includes(POOL_FINALIZER)) return false;
  const pool = pools.get(poolKey(vm) ?? '');
  return !vm.metadata.ownerReferences?.some(({ uid }) => uid === pool?.metadata.uid);
};

/** The VMs to look at, in case nobody else lets them go. */
export const forsakenEvents = (pools: Pick<Informer<Pool>, 'get'>): WatchHandlers<Vm> => ({
  changed: (vm) => (isForsaken(vm, pools) ? keyOf(vm) : []),
});
