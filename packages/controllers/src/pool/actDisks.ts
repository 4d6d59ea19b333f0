import { controllerReference, type KubeObject, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { type Client, ignoreNotFound, type ResourceRef } from '@vireo/kube';
import type { PoolDisks } from './disks.ts';
import { ownersWithout } from './preservation.ts';

type Owners = KubeObject['metadata']['ownerReferences'];

/** Who owns the disks of VMs: what a VM owns goes with it. */
export interface DiskActions {
  /** The disks outlive the VM. */
  keepDisks(vm: Vm, disks: PoolDisks): Promise<void>;
  /** The disks go with the VM from now on. */
  adoptDisks(vm: Vm, disks: PoolDisks): Promise<void>;
}

export function diskActions(client: Client): DiskActions {
  const patchOwners = async ({ dataVolumes, claims }: PoolDisks, owners: (disk: Persisted<KubeObject>) => Owners) => {
    const patch = (kind: ResourceRef) => (disk: Persisted<KubeObject>) =>
      client
        .of(kind)
        .patchIfUnchanged(disk, { metadata: { ownerReferences: owners(disk) } })
        .catch(ignoreNotFound);
    await Promise.all([...dataVolumes.map(patch(DataVolume)), ...claims.map(patch(PersistentVolumeClaim))]);
  };
  return {
    keepDisks: (vm, disks) => patchOwners(disks, (disk) => ownersWithout(disk, vm)),
    adoptDisks: (vm, disks) =>
      patchOwners(disks, (disk) => [...(disk.metadata.ownerReferences ?? []), controllerReference(vm, Vm)]),
  };
}
