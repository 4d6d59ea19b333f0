import { ControllerRevision, isDeleting, isReason, type Persisted } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { Vm, type VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import {
  type Client,
  type Draft,
  type Expectations,
  ignoreAlreadyExists,
  ignoreNotFound,
  isNamespaceTerminating,
  keyOf,
  type MergePatch,
  type Recorder,
} from '@vireo/kube';
import { startRevision } from './revision.ts';
import { vmiFromVm } from './vmiFromVm.ts';

export interface StartOptions {
  readonly paused: boolean;
  /** What the VMI is made from; the VM's own spec names types that this has written out. */
  readonly spec: Vm['spec'];
}

/** The writes of the controller of VMs. */
export interface VmActions {
  /** A merge patch, refused when the VM has changed since. */
  patchVm(vm: Vm, patch: MergePatch): Promise<Vm>;
  writeStatus(vm: Vm, status: VmStatus): Promise<Vm>;
  createDataVolume(vm: Vm, draft: Draft<DataVolume>): Promise<void>;
  /** Keeps what the VM is started from, and creates its VMI. */
  start(vm: Vm, options: StartOptions): Promise<Vmi>;
  stop(vm: Vm, vmi: Vmi): Promise<void>;
  patchVmi(vmi: Vmi, patch: MergePatch): Promise<Vmi>;
  deleteRevision(revision: Persisted<ControllerRevision>): Promise<void>;
}

/** `cached`: the VMI of that key as the informer has it. */
export function vmActions(
  client: Client,
  recorder: Recorder,
  expectations: Expectations,
  cached: (key: string) => Vmi | undefined,
): VmActions {
  const vms = client.of(Vm);
  const vmis = client.of(Vmi);
  const revisions = client.of(ControllerRevision);

  return {
    patchVm: (vm, patch) => vms.patchIfUnchanged(vm, patch),
    async writeStatus(vm, status) {
      return (await vms.writeStatus(vm, status)) ?? vm;
    },
    async start(vm, options) {
      const key = keyOf(vm);
      await revisions.create(startRevision(vm)).catch(ignoreAlreadyExists);
      expectations.expectCreations(key, 1);
      try {
        const { object: vmi, wasCreated } = await vmis.createOrGet(vmiFromVm({ ...vm, spec: options.spec }, options));
        // A VMI that was there may have arrived in the cache already: it is not to be waited for.
        if (!wasCreated) expectations.creationObserved(key);
        const what = `Started the virtual machine by creating the new virtual machine instance ${vmi.metadata.name}`;
        recorder.event(vm, 'Normal', 'SuccessfulCreate', what);
        return vmi;
      } catch (error) {
        expectations.creationObserved(key);
        if (isNamespaceTerminating(error)) throw error;
        recorder.event(vm, 'Warning', 'FailedCreate', `Error creating virtual machine instance: ${text(error)}`);
        throw error;
      }
    },
    async createDataVolume(vm, draft) {
      const { name } = draft.metadata;
      try {
        await client.of(DataVolume).create(draft);
      } catch (error) {
        // Created before by us, and not in the cache yet.
        if (isReason(error, 'AlreadyExists') || isNamespaceTerminating(error)) return ignoreAlreadyExists(error);
        recorder.event(vm, 'Warning', 'FailedDataVolumeCreate', `Error creating DataVolume ${name}: ${text(error)}`);
        throw error;
      }
      recorder.event(vm, 'Normal', 'SuccessfulDataVolumeCreate', `Created DataVolume ${name}`);
    },
    async stop(vm, vmi) {
      const { name, uid } = vmi.metadata;
      const key = keyOf(vm);
      expectations.expectDeletions(key, [uid]);
      try {
        await vmis.deleteExactly(vmi);
      } catch (error) {
        expectations.deletionObserved(key, uid);
        if (isReason(error, 'NotFound')) return;
        const what = `Error deleting virtual machine instance ${name}: ${text(error)}`;
        recorder.event(vm, 'Warning', 'FailedDelete', what);
        throw error;
      }
      // Deleted by somebody else just before, it will not be shown again.
      const known = cached(key);
      if (known?.metadata.uid !== uid || isDeleting(known)) expectations.deletionObserved(key, uid);
      const what = `Stopped the virtual machine by deleting the virtual machine instance ${uid}`;
      recorder.event(vm, 'Normal', 'SuccessfulDelete', what);
    },
    patchVmi: (vmi, patch) => vmis.patchIfUnchanged(vmi, patch),
    async deleteRevision({ metadata: { name, namespace } }) {
      await revisions.delete(name, { namespace }).catch(ignoreNotFound);
    },
  };
}

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));
