import { controllerReference, type KubeObject, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { KEPT_FOR_INDEX_LABEL, KEPT_FOR_POOL_LABEL } from '@vireo/api/kinds/pool/names.ts';
import { type Client, ignoreNotFound, type ResourceRef } from '@vireo/kube';
import { keptLabels, type PoolDisks } from './disks.ts';
import type { Pool } from './pool.ts';
import { ownersWithout } from './preservation.ts';

type Owned = Pick<KubeObject['metadata'], 'ownerReferences'> & { readonly labels: Record<string, string | null> };

/** Who owns the disks of VMs: what a VM owns goes with it. */
export interface DiskActions {
  /** The disks outlive the VM, and wait for the next one of its index. */
  keepDisks(pool: Pool, vm: Vm, disks: PoolDisks): Promise<void>;
  /** The disks go with the VM from now on. */
  adoptDisks(vm: Vm, disks: PoolDisks): Promise<void>;
}

export function diskActions(client: Client): DiskActions {
  const patchAll = async ({ dataVolumes, claims }: PoolDisks, metadata: (disk: Persisted<KubeObject>) => Owned) => {
    const patch = (kind: ResourceRef) => (disk: Persisted<KubeObject>) =>
      client
        .of(kind)
        .patchIfUnchanged(disk, { metadata: metadata(disk) })
        .catch(ignoreNotFound);
    await Promise.all([...dataVolumes.map(patch(DataVolume)), ...claims.map(patch(PersistentVolumeClaim))]);
  };
  return {
    keepDisks: (pool, vm, disks) =>
      patchAll(disks, (disk) => ({ ownerReferences: ownersWithout(disk, vm), labels: keptLabels(pool, vm) })),
    adoptDisks: (vm, disks) =>
      patchAll(disks, (disk) => ({
        ownerReferences: [...(disk.metadata.ownerReferences ?? []), controllerReference(vm, Vm)],
        labels: { [KEPT_FOR_POOL_LABEL]: null, [KEPT_FOR_INDEX_LABEL]: null },
      })),
  };
}
