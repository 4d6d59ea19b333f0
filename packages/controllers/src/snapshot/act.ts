import { ControllerRevision, isDeleting } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { LAST_SNAPSHOT, SOURCE_PROTECTION } from '@vireo/api/kinds/snapshot/names.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import {
  type Client,
  type Draft,
  ignoreAlreadyExists,
  ignoreNotFound,
  ignoreNotFoundOrConflict,
  type Recorder,
} from '@vireo/kube';
import { revisionCopy } from './content.ts';
import { Content, type ContentStatus, Snapshot, type SnapshotStatus } from './kinds.ts';

/** Everything that the controller of snapshots does to objects. Each is safe to be done again. */
export interface SnapshotActions {
  setFinalizers(snapshot: Snapshot, finalizers: string[]): Promise<void>;
  writeStatus(snapshot: Snapshot, status: SnapshotStatus): Promise<Snapshot>;
  /** Keeps a VM from being started, changed in its disks, or removed. */
  lock(vm: Vm, snapshot: Snapshot): Promise<void>;
  /** Undoes `lock`, if the VM is held for the snapshot of that name. */
  unlock(vm: Vm, snapshot: string): Promise<void>;
  /** Makes sure that a VMI whose VM is held is not handed over for a migration any more; resolves with it as it is. */
  holdVmi(vmi: Vmi, snapshot: Snapshot): Promise<Vmi | undefined>;
  createContent(snapshot: Snapshot, draft: Draft<Content>): Promise<void>;
  deleteContent(content: Content): Promise<void>;
  writeContentStatus(content: Content, status: ContentStatus): Promise<boolean>;
  createVolumeSnapshot(content: Content, draft: Draft<VolumeSnapshot>): Promise<void>;
  /** Keeps the revisions of the types that a VM is made from. */
  copyRevisions(snapshot: Snapshot, content: Content, names: readonly string[]): Promise<void>;
}

export function snapshotActions(client: Client, recorder: Recorder): SnapshotActions {
  const snapshots = client.of(Snapshot);
  const contents = client.of(Content);
  const vms = client.of(Vm);
  const revisions = client.of(ControllerRevision);
  return {
    async setFinalizers(snapshot, finalizers) {
      await snapshots.patchIfUnchanged(snapshot, { metadata: { finalizers } });
    },
    async writeStatus(snapshot, status) {
      return (await snapshots.writeStatus(snapshot, status)) ?? snapshot;
    },
    async lock(vm, snapshot) {
      const { name } = snapshot.metadata;
      // First the status: `unlock` goes by it, and a finalizer that it does not tell of would stay for ever.
      const isTold = vm.status?.snapshotInProgress === name;
      const locked = isTold ? vm : await vms.patchStatusIfUnchanged(vm, { snapshotInProgress: name });
      if (!isDeleting(vm)) await vms.addFinalizer(locked, SOURCE_PROTECTION);
    },
    async unlock(vm, snapshot) {
      if (vm.status?.snapshotInProgress !== snapshot) return;
      // First the finalizer: while the status names the snapshot, this is done again until both are gone.
      const finalizers = (vm.metadata.finalizers ?? []).filter((each) => each !== SOURCE_PROTECTION);
      const isHeld = finalizers.length !== vm.metadata.finalizers?.length;
      // A VM that was to go has gone with its last finalizer.
      const freed = isHeld ? await vms.patchIfUnchanged(vm, { metadata: { finalizers } }).catch(ignoreNotFound) : vm;
      if (freed) await vms.patchStatusIfUnchanged(freed, { snapshotInProgress: null }).catch(ignoreNotFound);
    },
    async holdVmi(vmi, { metadata: { uid } }) {
      return client
        .of(Vmi)
        .patchExactly(vmi, { metadata: { annotations: { [LAST_SNAPSHOT]: uid } } })
        .catch(ignoreNotFoundOrConflict);
    },
    async createContent(snapshot, draft) {
      if (!(await contents.create(draft).catch(ignoreAlreadyExists))) return;
      const what = `Successfully created VirtualMachineSnapshotContent ${draft.metadata.name}`;
      recorder.event(snapshot, 'Normal', 'SuccessfulVirtualMachineSnapshotContentCreate', what);
    },
    async deleteContent(content) {
      await contents.deleteExactly(content).catch(ignoreNotFound);
    },
    async writeContentStatus(content, status) {
      return (await contents.writeStatus(content, status)) !== undefined;
    },
    async createVolumeSnapshot(content, draft) {
      if (!(await client.of(VolumeSnapshot).create(draft).catch(ignoreAlreadyExists))) return;
      const what = `Successfully created VolumeSnapshot ${draft.metadata.name}`;
      recorder.event(content, 'Normal', 'SuccessfulVolumeSnapshotCreate', what);
    },
    async copyRevisions(snapshot, content, names) {
      const { namespace } = snapshot.metadata;
      for (const name of names) {
        const revision = await revisions.get(name, { namespace });
        await revisions.create(revisionCopy(snapshot, content, revision)).catch(ignoreAlreadyExists);
      }
    },
  };
}
