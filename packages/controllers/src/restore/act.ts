import { ControllerRevision, controllerReference, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { PRE_POPULATED } from '@vireo/api/kinds/cdi/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { LAST_RESTORE, RESTORE_PROTECTION } from '@vireo/api/kinds/snapshot/names.ts';
import { type Client, type Draft, ignoreAlreadyExists, ignoreNotFound, type ResourceRef } from '@vireo/kube';
import { vmOwnerReference } from './claim.ts';
import { Restore, type RestoreStatus, restoreMark } from './kinds.ts';
import { targetRevisionName } from './restoredVm.ts';

/** Everything that the controller of restores does to objects. Each is safe to be done again. */
export interface RestoreActions {
  /** Our finalizer, and the VM as an owner if the restore has none. */
  take(restore: Restore, vm: Vm | undefined): Promise<void>;
  release(restore: Restore): Promise<void>;
  writeStatus(restore: Restore, status: RestoreStatus): Promise<Restore>;
  lock(vm: Vm, restore: Restore): Promise<void>;
  /** Undoes `lock`, if the VM is held for the restore of that name. */
  unlock(vm: Vm, restore: string): Promise<void>;
  createClaim(draft: Draft<PersistentVolumeClaim>): Promise<void>;
  remove(kind: ResourceRef, object: Persisted): Promise<void>;
  /** The target's own copies of revisions, by the names of those that are copied. */
  copyRevisions(names: readonly string[], restore: Restore): Promise<Map<string, string>>;
  createVm(draft: Draft<Vm>): Promise<void>;
  /** `dryRun`: only asks whether the server would take it. */
  replaceSpec(vm: Vm, spec: Vm['spec'], restore: Restore, options?: { readonly dryRun: boolean }): Promise<Vm>;
  /** A DataVolume whose claim is there already. */
  createDataVolume(vm: Vm, name: string, restore: Restore): Promise<void>;
  /** Makes something go with the VM. */
  own(kind: ResourceRef, object: Persisted, vm: Vm): Promise<void>;
}

export function restoreActions(client: Client): RestoreActions {
  const restores = client.of(Restore);
  const vms = client.of(Vm);
  const revisions = client.of(ControllerRevision);

  return {
    async take(restore, vm) {
      const { finalizers = [], ownerReferences = [] } = restore.metadata;
      const isKept = finalizers.includes(RESTORE_PROTECTION);
      const isOwned = ownerReferences.length > 0 || !vm;
      if (isKept && isOwned) return;
      const metadata = {
        ...(!isKept && { finalizers: [...finalizers, RESTORE_PROTECTION] }),
        ...(!isOwned && { ownerReferences: [vmOwnerReference(vm)] }),
      };
      await restores.patchIfUnchanged(restore, { metadata });
    },
    async release(restore) {
      await restores.removeFinalizer(restore, RESTORE_PROTECTION).catch(ignoreNotFound);
    },
    async writeStatus(restore, status) {
      return (await restores.writeStatus(restore, status)) ?? restore;
    },
    async lock(vm, { metadata }) {
      await vms.patchStatusIfUnchanged(vm, { restoreInProgress: metadata.name });
    },
    async unlock(vm, restore) {
      if (vm.status?.restoreInProgress !== restore) return;
      // A dump that was asked for is of a guest that is no more.
      await vms.patchStatusIfUnchanged(vm, { restoreInProgress: null, memoryDumpRequest: null });
    },
    async createClaim(draft) {
      await client.of(PersistentVolumeClaim).create(draft).catch(ignoreAlreadyExists);
    },
    async remove(kind, object) {
      await client.of(kind).deleteExactly(object).catch(ignoreNotFound);
    },
    async copyRevisions(names, { metadata, spec }) {
      const { namespace } = metadata;
      const copies = new Map<string, string>();
      for (const name of names) {
        const kept = await revisions.get(name, { namespace });
        const copy = targetRevisionName(spec.target.name, kept);
        const labels = { ...kept.metadata.labels };
        const draft = { metadata: { name: copy, namespace, labels }, data: kept.data, revision: kept.revision };
        await revisions.create(draft).catch(ignoreAlreadyExists);
        copies.set(name, copy);
      }
      return copies;
    },
    async createVm(draft) {
      await vms.create(draft).catch(ignoreAlreadyExists);
    },
    replaceSpec(vm, spec, restore, { dryRun = false } = { dryRun: false }) {
      const { name, namespace, resourceVersion, annotations = {} } = vm.metadata;
      const marked = { ...annotations, [LAST_RESTORE]: restoreMark(restore) };
      // Replaced as a whole: a merge would keep what has been added since.
      const patch = [
        // Refused as a conflict when the VM has changed since.
        { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'add', path: '/metadata/annotations', value: marked },
        { op: 'replace', path: '/spec', value: spec },
      ];
      return vms.patch(name, patch, { namespace, type: 'json', ...(dryRun && { dryRun }) });
    },
    async createDataVolume(vm, name, restore) {
      const template = vm.spec.dataVolumeTemplates?.find(({ metadata }) => metadata?.name === name);
      if (!template) return;
      const { labels, annotations } = template.metadata ?? {};
      const draft: Draft<DataVolume> = {
        metadata: {
          name,
          namespace: vm.metadata.namespace,
          labels: { ...labels },
          annotations: { ...annotations, [PRE_POPULATED]: name, [LAST_RESTORE]: restoreMark(restore) },
          ownerReferences: [controllerReference(vm, Vm)],
        },
        spec: template.spec as DataVolume['spec'],
      };
      await client.of(DataVolume).create(draft).catch(ignoreAlreadyExists);
    },
    async own(kind, object, vm) {
      const { ownerReferences = [] } = object.metadata;
      if (ownerReferences.some(({ uid }) => uid === vm.metadata.uid)) return;
      const owners = [...ownerReferences, vmOwnerReference(vm)];
      await client
        .of(kind)
        .patchIfUnchanged(object, { metadata: { ownerReferences: owners } })
        .catch(ignoreNotFound);
    },
  };
}
