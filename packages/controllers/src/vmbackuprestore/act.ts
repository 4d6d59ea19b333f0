import { ControllerRevision, type Persisted, PersistentVolumeClaim, Pod } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { BACKUP_OBJECTS, type BackupObjects } from '@vireo/api/kinds/harvester/backupObjects.ts';
import type { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import {
  HarvesterRestore,
  type HarvesterRestoreStatus,
  RESTORE_PROTECTION,
} from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { networkDefinitionsOf } from '@vireo/api/kinds/kubevirt/namedByVmi.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import {
  type Client,
  type Draft,
  ignoreAlreadyExists,
  ignoreNotFound,
  ignoreNotFoundOrConflict,
  parseKey,
  type ResourceRef,
} from '@vireo/kube';
import { vmOwnerReference } from '../restore/claim.ts';
import { targetRevisionName } from '../restore/restoredVm.ts';
import type { KeptObject, KeptRevision } from '../vmbackup/document.ts';
import { holderOf } from './holder.ts';
import { madeObjects, madeRevisions, restoredObject } from './objects.ts';
import { LAST_RESTORE, type Restore, restoreMark } from './plan.ts';
import { vmAnnotations } from './restoredVm.ts';

/** Everything that the controller of restores of backups does to objects. Each is safe to be done again. */
export interface BackupRestoreActions {
  take(restore: Restore): Promise<void>;
  release(restore: Restore): Promise<void>;
  writeStatus(restore: Restore, status: HarvesterRestoreStatus): Promise<void>;
  lock(vm: Vm, restore: Restore): Promise<void>;
  /** Undoes `lock`, if the VM is held for the restore of that name. */
  unlock(vm: Vm, restore: string): Promise<void>;
  createClaim(draft: Draft<PersistentVolumeClaim>): Promise<void>;
  createPod(draft: Draft<Pod>): Promise<void>;
  remove(kind: ResourceRef, object: Persisted): Promise<void>;
  /** The DataVolume of a claim goes with it: it would make the claim again. */
  removeClaim(claim: Persisted<PersistentVolumeClaim>): Promise<void>;
  /** Makes the objects that a VM names and that are missing. Returns what those are called that have what they had. */
  restoreObjects(objects: BackupObjects, kept: readonly KeptObject[], restore: Restore): Promise<Map<string, string>>;
  /** The target's own revisions, by the names that they had. */
  restoreRevisions(revisions: readonly KeptRevision[], restore: Restore): Promise<Map<string, string>>;
  revisions(names: readonly string[], restore: Restore): Promise<KeptRevision[]>;
  createVm(draft: Draft<Vm>): Promise<void>;
  replaceVm(vm: Vm, spec: Vm['spec'], restore: Restore): Promise<void>;
  /** Makes claims go with the VM. */
  ownClaims(names: readonly string[], vm: Vm, restore: Restore): Promise<void>;
  /** Makes go with the VM what was made for it alone: copies of objects of its backup, and revisions. */
  ownObjects(backup: HarvesterBackup, vm: Vm, restore: Restore): Promise<void>;
  /** Removes what `restoreObjects` and `restoreRevisions` have made, and nothing that was there before. */
  removeObjects(backup: HarvesterBackup, restore: Restore): Promise<void>;
  /** The VM of a restore, asked of the server: the cache may not know yet that it is written. */
  target(restore: Restore): Promise<Vm | undefined>;
  ownRestore(restore: Restore, vm: Vm): Promise<void>;
  start(vm: Vm, strategy: string): Promise<void>;
  /** The NetworkAttachmentDefinitions that a VM names and that are not there, as `namespace/name`. */
  missingNetworks(vm: Vm): Promise<string[]>;
}

export function backupRestoreActions(client: Client): BackupRestoreActions {
  const restores = client.of(HarvesterRestore);
  const vms = client.of(Vm);
  const claims = client.of(PersistentVolumeClaim);
  const made = (objects: BackupObjects, { metadata, status }: HarvesterBackup, restore: Restore) => {
    const template = status?.source?.spec?.template;
    return madeObjects(client, objects, template ? objects.namesIn(template, metadata.namespace ?? '') : [], restore);
  };
  const owned = <T extends Persisted>({ metadata }: T, vm: Vm) => {
    const { ownerReferences = [] } = metadata;
    const isOwned = ownerReferences.some(({ uid }) => uid === vm.metadata.uid);
    return isOwned ? undefined : { metadata: { ownerReferences: [...ownerReferences, vmOwnerReference(vm)] } };
  };
  const own = async (kind: ResourceRef, object: Persisted, vm: Vm) => {
    const change = owned(object, vm);
    if (change) await client.of(kind).patchIfUnchanged(object, change).catch(ignoreNotFound);
  };
  const remove = async (kind: ResourceRef, object: Persisted) => {
    await client.of(kind).deleteExactly(object).catch(ignoreNotFoundOrConflict);
  };
  return {
    remove,
    async take(restore) {
      await restores.addFinalizer(restore, RESTORE_PROTECTION);
    },
    async release(restore) {
      await restores.removeFinalizer(restore, RESTORE_PROTECTION).catch(ignoreNotFound);
    },
    async writeStatus(restore, status) {
      await restores.writeStatus(restore, status);
    },
    async lock(vm, { metadata }) {
      await vms.patchStatusIfUnchanged(vm, { restoreInProgress: holderOf(metadata.name) });
    },
    async unlock(vm, restore) {
      if (vm.status?.restoreInProgress !== holderOf(restore)) return;
      await vms.patchStatusIfUnchanged(vm, { restoreInProgress: null, memoryDumpRequest: null }).catch(ignoreNotFound);
    },
    async createClaim(draft) {
      await claims.create(draft).catch(ignoreAlreadyExists);
    },
    async createPod(draft) {
      await client.of(Pod).create(draft).catch(ignoreAlreadyExists);
    },
    async removeClaim(claim) {
      const { name, namespace } = claim.metadata;
      const dataVolume = await client.of(DataVolume).find(name, { namespace });
      if (dataVolume) await client.of(DataVolume).deleteExactly(dataVolume).catch(ignoreNotFoundOrConflict);
      await claims.deleteExactly(claim).catch(ignoreNotFoundOrConflict);
    },
    async restoreObjects(objects, kept, restore) {
      const names = new Map<string, string>();
      for (const each of kept) {
        const name = await restoredObject(client, objects, each, restore);
        if (name !== undefined) names.set(each.name, name);
      }
      return names;
    },
    async restoreRevisions(revisions, restore) {
      const { metadata, spec } = restore;
      const annotations = { [LAST_RESTORE]: restoreMark(restore) };
      const renamed = new Map<string, string>();
      for (const { name, labels = {}, data, revision } of revisions) {
        const at = { namespace: metadata.namespace };
        const copy = targetRevisionName(spec.target.name, { metadata: { labels }, data } as ControllerRevision);
        const draft = { metadata: { name: copy, labels: { ...labels }, annotations, ...at }, data, revision };
        await client.of(ControllerRevision).create(draft).catch(ignoreAlreadyExists);
        renamed.set(name, copy);
      }
      return renamed;
    },
    async revisions(names, { metadata: { namespace } }) {
      const found = await Promise.all(names.map((name) => client.of(ControllerRevision).get(name, { namespace })));
      return found.map(({ metadata, data, revision }) => ({
        name: metadata.name,
        labels: metadata.labels,
        data,
        revision,
      }));
    },
    async createVm(draft) {
      await vms.create(draft).catch(ignoreAlreadyExists);
    },
    async replaceVm(vm, spec, restore) {
      const { name, namespace, resourceVersion, annotations } = vm.metadata;
      // Replaced as a whole: a merge would keep what has been added since.
      const patch = [
        { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'add', path: '/metadata/annotations', value: vmAnnotations(annotations, restore) },
        { op: 'replace', path: '/spec', value: spec },
      ];
      await vms.patch(name, patch, { namespace, type: 'json' });
    },
    async ownClaims(names, vm, { metadata: { namespace } }) {
      for (const name of names) {
        const claim = await claims.find(name, { namespace });
        if (claim) await own(PersistentVolumeClaim, claim, vm);
      }
    },
    async ownObjects(backup, vm, restore) {
      for (const objects of Object.values(BACKUP_OBJECTS)) {
        const { copies } = await made(objects, backup, restore);
        for (const each of copies) await own(objects.kind, each, vm);
      }
      for (const each of await madeRevisions(client, restore)) await own(ControllerRevision, each, vm);
    },
    async removeObjects(backup, restore) {
      for (const objects of Object.values(BACKUP_OBJECTS)) {
        const { all } = await made(objects, backup, restore);
        for (const each of all) await remove(objects.kind, each);
      }
      for (const each of await madeRevisions(client, restore)) await remove(ControllerRevision, each);
    },
    target: ({ metadata: { namespace }, spec }) => vms.find(spec.target.name, { namespace }),
    async ownRestore(restore, vm) {
      const change = owned(restore, vm);
      if (change) await restores.patchIfUnchanged(restore, change);
    },
    async start({ metadata, spec }, strategy) {
      const { name, namespace } = metadata;
      if (spec.runStrategy === strategy && spec.running === undefined) return;
      await vms.patch(name, { spec: { running: null, runStrategy: strategy } }, { namespace, type: 'merge' });
    },
    async missingNetworks({ metadata: { namespace = '' }, spec }) {
      const named = networkDefinitionsOf(spec.template.spec ?? {}, namespace);
      const found = await Promise.all(
        named.map((key) => {
          const { name, namespace: of } = parseKey(key);
          return client.of(NetworkAttachmentDefinition).find(name, { namespace: of });
        }),
      );
      return named.filter((_, index) => !found[index]);
    },
  };
}
