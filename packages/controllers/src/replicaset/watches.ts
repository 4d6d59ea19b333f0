import { isDeleting } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Expectations, type Key, keyOf, ownerKey, type WatchHandlers } from '@vireo/kube';
import { isAdoptable, overlappingSets, type Sets, setsSelecting } from './overlap.ts';
import type { ReplicaCache } from './replicaCache.ts';
import { ReplicaSet } from './replicaSet.ts';
import { type ReplicaState, replicaState } from './replicaState.ts';

/** Replicas become ready one after another; the status counts them at most this often. */
export const STATUS_DELAY_MS = 200;

/** A set concerns those that overlap with it: their condition SelectorOverlap, and what they may adopt. */
export function setEvents(sets: Sets): WatchHandlers<ReplicaSet> {
  const overlappingKeys = (set: ReplicaSet): string[] => overlappingSets(sets, set).map(keyOf);
  return {
    added: overlappingKeys,
    updated: (old, set) =>
      old.metadata.generation === set.metadata.generation && isDeleting(old) === isDeleting(set)
        ? []
        : [...overlappingKeys(old), ...overlappingKeys(set)],
    deleted: overlappingKeys,
  };
}

/** A VMI concerns the set that controls it, or else those that may adopt it. Replicas and expectations take note first. */
export function vmiEvents(sets: Sets, replicas: ReplicaCache, expectations: Expectations): WatchHandlers<Vmi> {
  /** Until its expectations are satisfied nothing would be done for a set; the event that satisfies them enqueues it. */
  const ifSatisfied = (keys: readonly string[], afterMs = 0): Key[] =>
    keys.filter((key) => expectations.isSatisfied(key)).map((key) => ({ key, afterMs }));
  const adopterKeys = (vmi: Vmi): string[] =>
    isAdoptable(vmi) ? setsSelecting(sets, vmi.metadata, vmi.metadata.labels).map(keyOf) : [];
  return {
    added: (vmi) => {
      replicas.put(vmi);
      const key = ownerKey(vmi, ReplicaSet);
      expectations.creationObserved(key);
      return ifSatisfied(key === undefined ? adopterKeys(vmi) : [key]);
    },
    updated: (old, vmi) => {
      replicas.put(vmi);
      const [before, key] = [ownerKey(old, ReplicaSet), ownerKey(vmi, ReplicaSet)];
      const [was, is] = [replicaState(old), replicaState(vmi)];
      if (is === 'deleting') expectations.deletionObserved(before, vmi.metadata.uid);
      if (before !== key || !deepEqual(old.metadata.labels, vmi.metadata.labels)) {
        const lost = before === undefined || before === key ? [] : [before];
        return ifSatisfied([...lost, ...(key === undefined ? adopterKeys(vmi) : [key])]);
      }
      if (was === is) return [];
      if (key === undefined) return ifSatisfied(adopterKeys(vmi));
      return ifSatisfied([key], isActiveState(was) && isActiveState(is) ? STATUS_DELAY_MS : 0);
    },
    deleted: (vmi) => {
      const { uid } = vmi.metadata;
      replicas.remove(uid);
      const key = ownerKey(vmi, ReplicaSet);
      expectations.deletionObserved(key, uid);
      // One that was deleted gracefully has been replaced before.
      return key === undefined ? [] : ifSatisfied([key], isDeleting(vmi) ? STATUS_DELAY_MS : 0);
    },
  };
}

const isActiveState = (state: ReplicaState): boolean => state === 'notReady' || state === 'ready';
