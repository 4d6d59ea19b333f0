import { hasEnded, isDeleting, type Persisted, PersistentVolumeClaim, Pod } from '@vireo/api';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { HarvesterQuota, QUOTA_NAME } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { VirtualMachinePool } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import type { Informers, ResourceRef } from '@vireo/kube';
import { byName, KINDS_OF_VMS, type KindOfVms } from './ofVms.ts';

/** The label by which the claim with a VM's state is found; its value is the VM's name. */
const STATE_LABEL = 'persistent-state-for';

/**
 * Objects that name a VM, found by its name. From informers with an index: to search a namespace would cost more
 * the more VMs are in it.
 */
export interface Related {
  launcherOf(namespace: string, vmiName: string): Promise<Persisted<Pod> | undefined>;
  stateClaimOf(namespace: string, vmName: string): Promise<Persisted<PersistentVolumeClaim> | undefined>;
  /** The objects of a kind that are about a VM. */
  objectsOf(kind: KindOfVms, namespace: string, vmName: string): Promise<readonly Persisted[]>;
  /** Harvester's quota of a namespace. */
  quotaOf(namespace: string): Promise<Persisted<HarvesterQuota> | undefined>;
  exportsOf(source: ResourceRef, namespace: string, name: string): Promise<readonly Persisted<VirtualMachineExport>[]>;
  vmisOf(namespace: string, replicaSet: string): Promise<readonly Vmi[]>;
  vmsOf(namespace: string, pool: string): Promise<readonly Vm[]>;
}

/** To be called before the informers are started, or they start with the first question. */
export function relatedObjects(informers: Informers): Related {
  const pods = informers.for(Pod, { labelSelector: LAUNCHER_SELECTOR, indexes: { vmi: vmiKeys } });
  const claims = informers.for(PersistentVolumeClaim, { labelSelector: STATE_LABEL, indexes: { vm: stateOf } });
  const readers = new Map(KINDS_OF_VMS.map((each) => [each, each.reader(informers)]));
  const quotas = informers.for(HarvesterQuota);
  const exports = informers.for(VirtualMachineExport, { indexes: { source: exportedBy } });
  const key = (namespace: string, name: string): string => `${namespace}/${name}`;
  return {
    async launcherOf(namespace, vmiName) {
      await pods.whenSynced();
      return currentLauncher(pods.byIndex('vmi', key(namespace, vmiName)));
    },
    async stateClaimOf(namespace, vmName) {
      await claims.whenSynced();
      const found = claims.byIndex('vm', key(namespace, vmName));
      return newest(found.filter((each) => !isDeleting(each)));
    },
    objectsOf: async (kind, namespace, vmName) => (await readers.get(kind)?.(key(namespace, vmName))) ?? [],
    async quotaOf(namespace) {
      await quotas.whenSynced();
      return quotas.get(key(namespace, QUOTA_NAME));
    },
    async exportsOf({ kind }, namespace, name) {
      await exports.whenSynced();
      return exports.byIndex('source', `${kind}/${key(namespace, name)}`).toSorted(byName);
    },
    // Only graphs of sets take every VMI of the cluster into memory: the first of them starts the watch.
    async vmisOf(namespace, replicaSet) {
      const vmis = informers.for(VirtualMachineInstance, { indexes: { replicaSet: replicaSetsOf } });
      await vmis.whenSynced();
      return vmis.byIndex('replicaSet', key(namespace, replicaSet)).toSorted(byName);
    },
    async vmsOf(namespace, pool) {
      const vms = informers.for(VirtualMachine, { indexes: { pool: poolsOf } });
      await vms.whenSynced();
      return vms.byIndex('pool', key(namespace, pool)).toSorted(byName);
    },
  };
}

/** Pods of earlier runs may still be there: one that has not ended goes first, then the newest. */
function currentLauncher(pods: readonly Persisted<Pod>[]): Persisted<Pod> | undefined {
  return newest(pods.filter((pod) => !hasEnded(pod))) ?? newest(pods);
}

const newest = <T extends Persisted>(objects: readonly T[]): T | undefined =>
  objects.toSorted((a, b) => createdAt(b) - createdAt(a) || byName(a, b))[0];

const createdAt = ({ metadata }: Persisted): number => Date.parse(metadata.creationTimestamp) || 0;

function vmiKeys({ metadata }: Pod): string[] {
  const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'VirtualMachineInstance');
  const names = [...owners.map(({ name }) => name), metadata.annotations?.['kubevirt.io/domain'] ?? ''];
  return [...new Set(names.filter(Boolean))].map((name) => `${metadata.namespace}/${name}`);
}

const stateOf = ({ metadata }: PersistentVolumeClaim): string[] => [
  `${metadata.namespace}/${metadata.labels?.[STATE_LABEL] ?? ''}`,
];

/** Sources are of the export's namespace, and their kinds are of one group each. */
const exportedBy = ({ metadata, spec }: VirtualMachineExport): string[] => [
  `${spec.source.kind}/${metadata.namespace}/${spec.source.name}`,
];

const controllersOf =
  (of: ResourceRef) =>
  ({ metadata }: VirtualMachine | VirtualMachineInstance): string[] =>
    (metadata.ownerReferences ?? [])
      .filter(({ controller, kind }) => controller && kind === of.kind)
      .map(({ name }) => `${metadata.namespace}/${name}`);

const replicaSetsOf = controllersOf(VirtualMachineInstanceReplicaSet);
const poolsOf = controllersOf(VirtualMachinePool);
