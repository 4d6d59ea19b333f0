import { controllerReference, isDeleting, isReason, mergePatchBetween } from '@vireo/api';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import {
  type Client,
  type Expectations,
  ignoreNotFound,
  ignoreNotFoundOrConflict,
  isNamespaceTerminating,
  keyOf,
  type Recorder,
} from '@vireo/kube';
import { newVmi } from './newVmi.ts';
import { ReplicaSet, type ReplicaSetStatus } from './replicaSet.ts';
import { type BatchResult, slowStartBatch } from './slowStart.ts';

/** The reads and writes of the replica set controller. */
export interface ReplicaSetActions {
  /** The set as the server has it now; undefined where it is gone. */
  getUncached(set: ReplicaSet): Promise<ReplicaSet | undefined>;
  adopt(set: ReplicaSet, vmi: Vmi): Promise<Vmi | undefined>;
  release(set: ReplicaSet, vmi: Vmi): Promise<void>;
  /** `initial`: the size of the first batch. */
  create(set: ReplicaSet, count: number, initial: number): Promise<BatchResult>;
  /** `isFinished`: they are deleted because they have ended, not to scale down. */
  delete(set: ReplicaSet, vmis: readonly Vmi[], isFinished: boolean): Promise<BatchResult>;
  writeStatus(set: ReplicaSet, status: ReplicaSetStatus): Promise<void>;
  recordEvent(set: ReplicaSet, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** `cached`: the VMI of that key as the informer has it. */
export function replicaSetActions(
  client: Client,
  recorder: Recorder,
  expectations: Expectations,
  cached: (key: string) => Vmi | undefined,
): ReplicaSetActions {
  const sets = client.of(ReplicaSet);
  const vmis = client.of(Vmi);
  const recordEvent = recorder.event.bind(recorder);

  /** Fails with a conflict if the VMI has changed since: another set may have adopted it. */
  const patchOwners = (vmi: Vmi, ownerReferences: Vmi['metadata']['ownerReferences']): Promise<Vmi | undefined> =>
    vmis.patchIfUnchanged(vmi, { metadata: { ownerReferences } }).catch(ignoreNotFound);

  async function createOne(set: ReplicaSet): Promise<void> {
    const key = keyOf(set);
    try {
      const { metadata } = await vmis.create(newVmi(set));
      const what = `Started the virtual machine by creating the new virtual machine instance ${metadata.name}`;
      recordEvent(set, 'Normal', 'SuccessfulCreate', what);
    } catch (error) {
      expectations.creationObserved(key);
      if (!isNamespaceTerminating(error))
        recordEvent(set, 'Warning', 'FailedCreate', `Error creating virtual machine instance: ${errorMessage(error)}`);
      throw error;
    }
  }

  async function deleteOne(set: ReplicaSet, vmi: Vmi, isFinished: boolean): Promise<void> {
    const { name, uid } = vmi.metadata;
    const key = keyOf(set);
    try {
      await vmis.deleteExactly(vmi);
    } catch (error) {
      expectations.deletionObserved(key, uid);
      if (isReason(error, 'NotFound', 'Conflict')) return;
      const what = isFinished ? 'finished virtual machine' : 'virtual machine instance';
      recordEvent(set, 'Warning', 'FailedDelete', `Error deleting ${what} ${name}: ${errorMessage(error)}`);
      throw error;
    }
    // If somebody else deleted it just before, no further event will show it.
    const known = cached(keyOf(vmi));
    if (known?.metadata.uid !== uid || isDeleting(known)) expectations.deletionObserved(key, uid);
    const what = isFinished
      ? `Deleted finished virtual machine: ${uid}`
      : `Stopped the virtual machine by deleting the virtual machine instance ${uid}`;
    recordEvent(set, 'Normal', 'SuccessfulDelete', what);
  }

  return {
    recordEvent,
    getUncached: (set) => sets.find(set.metadata.name, { namespace: set.metadata.namespace }),
    adopt: (set, vmi) => patchOwners(vmi, [...otherOwners(set, vmi), controllerReference(set, ReplicaSet)]),
    async release(set, vmi) {
      await patchOwners(vmi, otherOwners(set, vmi));
    },
    async create(set, count, initial) {
      const key = keyOf(set);
      expectations.expectCreations(key, count);
      let attempted = 0;
      const attempt = () => {
        attempted += 1;
        return createOne(set);
      };
      const result = await slowStartBatch(count, attempt, initial);
      // Those that were not tried will not show up.
      for (let left = count - attempted; left > 0; left--) expectations.creationObserved(key);
      return result;
    },
    async delete(set, all, isFinished) {
      expectations.expectDeletions(
        keyOf(set),
        all.map(({ metadata }) => metadata.uid),
      );
      const results = await Promise.allSettled(all.map((vmi) => deleteOne(set, vmi, isFinished)));
      const rejected = results.filter((each) => each.status === 'rejected');
      return { succeeded: all.length - rejected.length, ...(rejected[0] && { error: rejected[0].reason }) };
    },
    async writeStatus(set, status) {
      const changed = mergePatchBetween(set.status ?? {}, status);
      // A set that has changed is reconciled again, and its status follows from what it is then.
      if (changed) await sets.patchStatusIfUnchanged(set, changed).catch(ignoreNotFoundOrConflict);
    },
  };
}

const otherOwners = (set: ReplicaSet, { metadata }: Vmi) =>
  (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== set.metadata.uid);

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
