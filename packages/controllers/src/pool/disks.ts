import {
  controllerOf,
  isDeleting,
  isOwnedBy,
  type KubeObject,
  type Persisted,
  type PersistentVolumeClaim,
} from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { needsBackendStorage } from '@vireo/api/kinds/kubevirt/backendStorage.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { dataVolumeNames } from './indexedSpec.ts';
import { type IndexState, vmName } from './indices.ts';
import type { Pool } from './pool.ts';

/** What VMs and their disks are looked up in, in the namespace of a pool. */
export interface Lookup {
  vm(name: string): Vm | undefined;
  dataVolume(name: string): Persisted<DataVolume> | undefined;
  claim(name: string): Persisted<PersistentVolumeClaim> | undefined;
  /** The DataVolumes and claims that the VM is an owner of. */
  disksOf(vm: Vm): PoolDisks;
  /** The claims with the state of the firmware of a VM, by the VM's name. */
  stateClaims(vmName: string): readonly Persisted<PersistentVolumeClaim>[];
}

export interface PoolDisks {
  readonly dataVolumes: readonly Persisted<DataVolume>[];
  readonly claims: readonly Persisted<PersistentVolumeClaim>[];
}

/** Whether the pool can have a VM with that index now. Disks that were kept for the index are the new VM's. */
export function indexState(pool: Pool, index: number, lookup: Lookup): IndexState {
  if (lookup.vm(vmName(pool.metadata.name, index))) return 'taken';
  const states = dataVolumeNames(pool.spec, index).flatMap((name) => [
    diskState(lookup.dataVolume(name), lookup),
    diskState(lookup.claim(name), lookup),
  ]);
  return states.find((state) => state === 'taken') ?? states.find((state) => state === 'clearing') ?? 'free';
}

/** Whether a new VM may have a disk: nobody has it, or whoever had it is gone, and it will be too. */
function diskState(disk: Persisted<KubeObject> | undefined, lookup: Lookup): IndexState {
  if (!disk) return 'free';
  if (isDeleting(disk)) return 'clearing';
  const controller = controllerOf(disk);
  if (!controller) return 'free';
  const holder =
    controller.kind === Vm.kind
      ? lookup.vm(controller.name)
      : controller.kind === DataVolume.kind
        ? lookup.dataVolume(controller.name)
        : undefined;
  // Of what holds it otherwise nothing is known: it is theirs.
  if (controller.kind !== Vm.kind && controller.kind !== DataVolume.kind) return 'taken';
  if (holder?.metadata.uid !== controller.uid) return 'clearing';
  return controller.kind === Vm.kind ? 'taken' : diskState(holder, lookup);
}

/** Whether VMs of the pool have something to keep: disks, or firmware that remembers. */
export const mayHaveDisks = ({ spec: { virtualMachineTemplate } }: Pool): boolean => {
  const { dataVolumeTemplates = [], template } = virtualMachineTemplate.spec ?? {};
  const isStateful = template?.spec !== undefined && needsBackendStorage(template.spec);
  return dataVolumeTemplates.length > 0 || isStateful;
};

/** The disks that were kept for the index of a VM, and that belong to nobody since. */
export function keptDisks(pool: Pool, vm: Vm, index: number, lookup: Lookup): PoolDisks {
  const isFree = (disk: KubeObject | undefined): boolean =>
    disk !== undefined && !isDeleting(disk) && !controllerOf(disk) && !isOwnedBy(disk, vm);
  const names = dataVolumeNames(pool.spec, index);
  const claims = [...names.map((name) => lookup.claim(name)), ...lookup.stateClaims(vm.metadata.name)];
  return {
    dataVolumes: names
      .map((name) => lookup.dataVolume(name))
      .filter((each) => each !== undefined && isFree(each)) as Persisted<DataVolume>[],
    claims: claims.filter((each) => each !== undefined && isFree(each)) as Persisted<PersistentVolumeClaim>[],
  };
}
