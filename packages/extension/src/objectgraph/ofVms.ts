import type { Kind, KubeObject, Persisted } from '@vireo/api';
import type { TypedLocalObjectReference } from '@vireo/api/kinds/core/references.ts';
import type { HarvesterQuota } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { ScheduleVmBackup } from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { HarvesterRestore } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import type { Informers, ResourceRef } from '@vireo/kube';

/** A kind whose objects name the VM of their namespace that they are about. */
export interface KindOfVms {
  readonly kind: ResourceRef;
  /** The field with the VM's name. */
  readonly fieldPath: string;
  /** Finds the objects of a VM by its key, from an index. */
  readonly reader: (informers: Informers) => (vmKey: string) => Promise<readonly Persisted[]>;
}

/** The kinds that a VM has in its graph although nothing in the VM names them; it works without them. */
export const KINDS_OF_VMS: readonly KindOfVms[] = [
  ofVms(VirtualMachineSnapshot, 'spec.source', ({ spec }) => spec.source),
  ofVms(VirtualMachineRestore, 'spec.target', ({ spec }) => spec.target),
  ofVms(HarvesterBackup, 'spec.source', ({ spec }) => spec.source),
  ofVms(ScheduleVmBackup, 'spec.vmbackup.source', ({ spec }) => spec.vmbackup.source),
  ofVms(HarvesterRestore, 'spec.target', ({ spec }) => spec.target),
];

function ofVms<T extends KubeObject>(
  kind: Kind<T>,
  field: string,
  referenceIn: (object: T) => TypedLocalObjectReference,
): KindOfVms {
  const vmKeys = (object: T): string[] => {
    const { kind: to, name } = referenceIn(object);
    return to === VirtualMachine.kind ? [`${object.metadata.namespace}/${name}`] : [];
  };
  return {
    kind,
    fieldPath: `${field}.name`,
    reader: (informers) => {
      const informer = informers.for(kind, { indexes: { vm: vmKeys } });
      return async (vmKey) => {
        await informer.whenSynced();
        return informer.byIndex('vm', vmKey).toSorted(byName);
      };
    },
  };
}

/** The order in which a graph has objects of a kind. */
export const byName = (a: Persisted, b: Persisted): number => (a.metadata.name < b.metadata.name ? -1 : 1);

const LIMITS = 'spec.snapshotLimit';

/** The field by which a quota of Harvester's limits a VM, its own limit first; undefined if it does not. */
export function limitOf({ spec }: Pick<HarvesterQuota, 'spec'>, vmName: string): string | undefined {
  const { vmTotalSnapshotSizeQuota: vms = {}, namespaceTotalSnapshotSizeQuota: all = 0 } = spec?.snapshotLimit ?? {};
  if (Object.hasOwn(vms, vmName) && (vms[vmName] ?? 0) > 0) return `${LIMITS}.vmTotalSnapshotSizeQuota[${vmName}]`;
  return all > 0 ? `${LIMITS}.namespaceTotalSnapshotSizeQuota` : undefined;
}
