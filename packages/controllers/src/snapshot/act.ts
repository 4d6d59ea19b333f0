import { ControllerRevision, changes, isReason } from '@vireo/api';
import { SOURCE_PROTECTION } from '@vireo/api/kinds/snapshot/names.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import type { Client, Draft } from '@vireo/kube';
import type { Recorder } from '../context.ts';
import { isDeleting, Vm } from '../kinds.ts';
import { revisionCopy } from './content.ts';
import { Content, type ContentStatus, Snapshot, type SnapshotStatus } from './kinds.ts';

/** Everything that the controller of snapshots does to objects. Each is safe to be done again. */
export interface SnapshotActions {
  setFinalizers(snapshot: Snapshot, finalizers: string[]): Promise<void>;
  writeStatus(snapshot: Snapshot, status: SnapshotStatus): Promise<Snapshot>;
  /** Keeps a machine from being started, changed in its disks, or removed. */
  lock(vm: Vm, snapshot: Snapshot): Promise<void>;
  /** Undoes `lock`, if the machine is held for the snapshot of that name. */
  unlock(vm: Vm, snapshot: string): Promise<void>;
  createContent(snapshot: Snapshot, draft: Draft<Content>): Promise<void>;
  deleteContent(content: Content): Promise<void>;
  writeContentStatus(content: Content, status: ContentStatus): Promise<boolean>;
  createVolumeSnapshot(content: Content, draft: Draft<VolumeSnapshot>): Promise<void>;
  /** Keeps the revisions of the types that a machine is made from. */
  copyRevisions(snapshot: Snapshot, content: Content, names: readonly string[]): Promise<void>;
}

export function snapshotActions(client: Client, recorder: Recorder): SnapshotActions {
  const snapshots = client.of(Snapshot);
  const contents = client.of(Content);
  const vms = client.of(Vm);
  const revisions = client.of(ControllerRevision);
  return {
    async setFinalizers({ metadata }, finalizers) {
      const { name = '', namespace, resourceVersion } = metadata;
      await snapshots.patch(name, { metadata: { resourceVersion, finalizers } }, { namespace, type: 'merge' });
    },
    async writeStatus(snapshot, status) {
      const changed = changes(snapshot.status ?? {}, status);
      if (!changed) return snapshot;
      const { name = '', namespace, resourceVersion } = snapshot.metadata;
      const patch = { metadata: { resourceVersion }, status: changed };
      return snapshots.patchStatus(name, patch, { namespace, type: 'merge' });
    },
    async lock(vm, snapshot) {
      const { name = '', namespace } = vm.metadata;
      const at = { namespace, type: 'merge' } as const;
      // First the status: `unlock` goes by it, and a finalizer that it does not tell of would stay for ever.
      const isTold = vm.status?.snapshotInProgress === snapshot.metadata.name;
      const { metadata } = isTold ? vm : await vms.patchStatus(name, lockStatus(vm, snapshot), at);
      const { finalizers = [], resourceVersion } = metadata;
      if (finalizers.includes(SOURCE_PROTECTION) || isDeleting(vm)) return;
      await vms.patch(name, { metadata: { resourceVersion, finalizers: [...finalizers, SOURCE_PROTECTION] } }, at);
    },
    async unlock(vm, snapshot) {
      const { name = '', namespace, resourceVersion } = vm.metadata;
      const at = { namespace, type: 'merge' } as const;
      if (vm.status?.snapshotInProgress !== snapshot) return;
      // First the finalizer: while the status names the snapshot, this is done again until both are gone.
      const finalizers = (vm.metadata.finalizers ?? []).filter((each) => each !== SOURCE_PROTECTION);
      const isHeld = finalizers.length !== vm.metadata.finalizers?.length;
      const status = { snapshotInProgress: null };
      try {
        const freed = isHeld ? await vms.patch(name, { metadata: { resourceVersion, finalizers } }, at) : vm;
        const patch = { metadata: { resourceVersion: freed.metadata.resourceVersion }, status };
        await vms.patchStatus(name, patch, at);
      } catch (error) {
        // A machine that was to go has gone with its last finalizer.
        if (!isReason(error, 'NotFound')) throw error;
      }
    },
    async createContent(snapshot, draft) {
      if (!(await isNew(contents.create(draft)))) return;
      const what = `Successfully created VirtualMachineSnapshotContent ${draft.metadata.name}`;
      recorder.event(snapshot, 'Normal', 'SuccessfulVirtualMachineSnapshotContentCreate', what);
    },
    async deleteContent({ metadata }) {
      const { name = '', namespace, uid } = metadata;
      await contents.delete(name, { namespace, preconditions: { uid } }).catch(unlessGone);
    },
    async writeContentStatus(content, status) {
      const changed = changes(content.status ?? {}, status);
      if (!changed) return false;
      const { name = '', namespace, resourceVersion } = content.metadata;
      const patch = { metadata: { resourceVersion }, status: changed };
      await contents.patchStatus(name, patch, { namespace, type: 'merge' });
      return true;
    },
    async createVolumeSnapshot(content, draft) {
      if (!(await isNew(client.of(VolumeSnapshot).create(draft)))) return;
      const what = `Successfully created VolumeSnapshot ${draft.metadata.name}`;
      recorder.event(content, 'Normal', 'SuccessfulVolumeSnapshotCreate', what);
    },
    async copyRevisions(snapshot, content, names) {
      const { namespace } = snapshot.metadata;
      for (const name of names) {
        const revision = await revisions.get(name, { namespace });
        await isNew(revisions.create(revisionCopy(snapshot, content, revision)));
      }
    },
  };
}

const lockStatus = ({ metadata: { resourceVersion } }: Vm, snapshot: Snapshot) => ({
  metadata: { resourceVersion },
  status: { snapshotInProgress: snapshot.metadata.name },
});

/** Whether something was made; what is there already was made before, and is not in the cache yet. */
export async function isNew(creation: Promise<unknown>): Promise<boolean> {
  try {
    await creation;
    return true;
  } catch (error) {
    if (isReason(error, 'AlreadyExists')) return false;
    throw error;
  }
}

export function unlessGone(error: unknown): void {
  if (!isReason(error, 'NotFound')) throw error;
}
