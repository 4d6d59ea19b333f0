import { isDeleting, isReason, mergePatchBetween } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { POOL_DELETION_ANNOTATION, POOL_FINALIZER, POOL_REVISION_LABEL } from '@vireo/api/kinds/pool/names.ts';
import {
  type Client,
  type Expectations,
  ignoreNotFound,
  ignoreNotFoundOrConflict,
  isNamespaceTerminating,
  keyOf,
  type MergePatch,
  type Recorder,
} from '@vireo/kube';
import { errorMessage } from '../replicaset/act.ts';
import { type BatchResult, slowStartBatch } from '../replicaset/slowStart.ts';
import { type DiskActions, diskActions } from './actDisks.ts';
import { type RevisionActions, revisionActions } from './actRevisions.ts';
import { Pool, type PoolStatus } from './pool.ts';
import { type DeletionReason, needsMark } from './preservation.ts';
import { revisionOf } from './revision.ts';
import { type Running, restartBy } from './update.ts';
import { vmFromPool } from './vmFromPool.ts';

/** The writes of the pool controller. */
export interface PoolActions extends DiskActions, RevisionActions {
  addFinalizer(pool: Pool): Promise<void>;
  removeFinalizer(pool: Pool): Promise<void>;
  /** `initial`: the size of the first batch. */
  create(pool: Pool, indices: readonly number[], revision: string, initial: number): Promise<BatchResult>;
  delete(pool: Pool, vms: readonly Vm[], reason: DeletionReason): Promise<BatchResult>;
  /** Takes back that a VM was about to be deleted. */
  unmark(vm: Vm): Promise<void>;
  /** The VM is the pool's no longer. */
  release(pool: Pool, vm: Vm): Promise<void>;
  /** Lets a VM that is deleted go. */
  letGo(vm: Vm): Promise<void>;
  /** Fails if the server refuses it; a VM that has changed meanwhile is looked at again. */
  update(pool: Pool, vm: Vm, patch: MergePatch): Promise<void>;
  relabel(running: Running): Promise<void>;
  restart(pool: Pool, running: Running): Promise<void>;
  writeStatus(pool: Pool, status: PoolStatus): Promise<void>;
  recordEvent(pool: Pool, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** What informers have, by key. */
export interface Cached {
  vm(key: string): Vm | undefined;
  vmi(key: string): Vmi | undefined;
}

export function poolActions(
  client: Client,
  recorder: Recorder,
  expectations: Expectations,
  cached: Cached,
): PoolActions {
  const pools = client.of(Pool);
  const vms = client.of(Vm);
  const vmis = client.of(Vmi);
  const recordEvent = recorder.event.bind(recorder);

  async function createOne(pool: Pool, index: number, revision: string): Promise<void> {
    try {
      const { metadata } = await vms.create(vmFromPool(pool, index, revision));
      recordEvent(pool, 'Normal', 'SuccessfulCreate', `Created VM ${metadata.namespace}/${metadata.name}`);
    } catch (error) {
      expectations.creationObserved(keyOf(pool));
      // Somebody else has a VM of that name since; there are other indices.
      if (!isNamespaceTerminating(error) && !isReason(error, 'AlreadyExists'))
        recordEvent(pool, 'Warning', 'FailedCreate', `Error creating VM: ${errorMessage(error)}`);
      throw error;
    }
  }

  async function deleteOne(pool: Pool, vm: Vm, reason: DeletionReason): Promise<void> {
    const { uid } = vm.metadata;
    const key = keyOf(pool);
    try {
      if (needsMark(pool, vm, reason))
        await vms.patchExactly(vm, { metadata: { annotations: { [POOL_DELETION_ANNOTATION]: reason } } });
      // The new VM in its place gets new disks: those of the old one are gone before it is.
      await vms.deleteExactly(vm, reason === 'Replacement' ? { propagationPolicy: 'Foreground' } : {});
    } catch (error) {
      expectations.deletionObserved(key, uid);
      if (isReason(error, 'NotFound', 'Conflict')) return;
      const what = `Error deleting virtual machine ${keyOf(vm)}: ${errorMessage(error)}`;
      recordEvent(pool, 'Warning', 'FailedDelete', what);
      throw error;
    }
    // If somebody else deleted it just before, no further event will show it.
    const known = cached.vm(keyOf(vm));
    if (known?.metadata.uid !== uid || isDeleting(known)) expectations.deletionObserved(key, uid);
    recordEvent(pool, 'Normal', 'SuccessfulDelete', `Deleted VM ${keyOf(vm)} with uid ${uid} from pool`);
  }

  /** Until the VMI is seen to go, the pool does not count on its being there. */
  async function takeDown(pool: Pool, { vm, vmi }: Running): Promise<void> {
    const [key, { uid }] = [keyOf(pool), vmi.metadata];
    expectations.expectDeletions(key, [uid]);
    try {
      if (restartBy(vm) === 'delete') await vmis.deleteExactly(vmi);
      else
        await vms.patchStatusIfUnchanged(vm, { stateChangeRequests: [{ action: 'Stop', uid }, { action: 'Start' }] });
    } catch (error) {
      expectations.deletionObserved(key, uid);
      throw error;
    }
    const known = cached.vmi(keyOf(vmi));
    if (known?.metadata.uid !== uid || isDeleting(known)) expectations.deletionObserved(key, uid);
  }

  return {
    ...diskActions(client),
    ...revisionActions(client),
    recordEvent,
    addFinalizer: (pool) => pools.addFinalizer(pool, POOL_FINALIZER),
    removeFinalizer: (pool) => pools.removeFinalizer(pool, POOL_FINALIZER).catch(ignoreNotFound),
    async create(pool, indices, revision, initial) {
      const key = keyOf(pool);
      expectations.expectCreations(key, indices.length);
      const left = [...indices].values();
      const attempt = () => createOne(pool, left.next().value as number, revision);
      const result = await slowStartBatch(indices.length, attempt, initial);
      // Those that were not tried will not show up.
      for (const _ of left) expectations.creationObserved(key);
      return result;
    },
    async delete(pool, all, reason) {
      expectations.expectDeletions(
        keyOf(pool),
        all.map(({ metadata }) => metadata.uid),
      );
      const results = await Promise.allSettled(all.map((vm) => deleteOne(pool, vm, reason)));
      const rejected = results.filter((each) => each.status === 'rejected');
      return { succeeded: all.length - rejected.length, ...(rejected[0] && { error: rejected[0].reason }) };
    },
    async unmark(vm) {
      await vms.patchIfUnchanged(vm, { metadata: { annotations: { [POOL_DELETION_ANNOTATION]: null } } });
    },
    async release(pool, vm) {
      const { ownerReferences = [], finalizers = [] } = vm.metadata;
      const metadata = {
        ownerReferences: ownerReferences.filter(({ uid }) => uid !== pool.metadata.uid),
        finalizers: finalizers.filter((each) => each !== POOL_FINALIZER),
      };
      await vms.patchIfUnchanged(vm, { metadata }).catch(ignoreNotFound);
    },
    letGo: (vm) => vms.removeFinalizer(vm, POOL_FINALIZER).catch(ignoreNotFound),
    async update(pool, vm, patch) {
      try {
        await vms.patchIfUnchanged(vm, patch);
      } catch (error) {
        if (isReason(error, 'NotFound', 'Conflict')) return;
        const what = `Error updating virtual machine ${keyOf(vm)}: ${errorMessage(error)}`;
        recordEvent(pool, 'Warning', 'FailedUpdate', what);
        throw error;
      }
      recordEvent(pool, 'Normal', 'SuccessfulUpdate', `Updated VM ${keyOf(vm)}`);
    },
    async relabel({ vm, vmi }) {
      const labels = { [POOL_REVISION_LABEL]: revisionOf(vm) };
      await vmis.patchIfUnchanged(vmi, { metadata: { labels } }).catch(ignoreNotFoundOrConflict);
    },
    async restart(pool, running) {
      const name = keyOf(running.vm);
      try {
        await takeDown(pool, running);
      } catch (error) {
        if (isReason(error, 'NotFound', 'Conflict')) return;
        recordEvent(pool, 'Warning', 'FailedUpdate', `Error updating resource ${name}: ${errorMessage(error)}`);
        throw error;
      }
      // KubeVirt's reason: the VMI is deleted.
      recordEvent(pool, 'Normal', 'SuccessfulDelete', `Successfully updated resource ${name}`);
    },
    async writeStatus(pool, status) {
      const changed = mergePatchBetween(pool.status ?? {}, status);
      // A pool that has changed is reconciled again, and its status follows from what it is then.
      if (changed) await pools.patchStatusIfUnchanged(pool, changed).catch(ignoreNotFoundOrConflict);
    },
  };
}
