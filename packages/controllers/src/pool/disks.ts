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
import { KEPT_FOR_INDEX_LABEL, KEPT_FOR_POOL_LABEL } from '@vireo/api/kinds/pool/names.ts';
import { dataVolumeNames } from './indexedSpec.ts';
import { type IndexState, indexOf, vmName } from './indices.ts';
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

/**
 * Whether the pool can have a VM with that index now. Disks that the pool has kept for the index are the new VM's; those
 * that are just nobody's are somebody's data, which no VM of the pool is to write to, nor take along when it goes.
 */
export function indexState(pool: Pool, index: number, lookup: Lookup): IndexState {
  if (lookup.vm(vmName(pool.metadata.name, index))) return 'taken';
  const states = disksNamed(pool, index, lookup).map((disk) => diskState(disk, pool, index, lookup));
  return SEVEREST_FIRST.find((state) => states.includes(state)) ?? 'free';
}

const SEVEREST_FIRST: readonly IndexState[] = ['taken', 'foreign', 'clearing'];

/** The disks that nobody owns and that the pool did not keep, in words. */
export const foreignDisks = (pool: Pool, index: number, lookup: Lookup): string[] =>
  disksNamed(pool, index, lookup)
    .filter((disk) => !controllerOf(disk) && diskState(disk, pool, index, lookup) === 'foreign')
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);

/** The disks that a VM with that index would use. */
function disksNamed(pool: Pool, index: number, lookup: Lookup): Persisted<KubeObject>[] {
  const found = dataVolumeNames(pool.spec, index).flatMap((name) => [lookup.dataVolume(name), lookup.claim(name)]);
  const states = hasState(pool) ? lookup.stateClaims(vmName(pool.metadata.name, index)) : [];
  return [...found.filter((disk) => disk !== undefined), ...states];
}

/** Whether a new VM may have a disk: the pool kept it for the VM, or whoever had it is gone, and it will be too. */
function diskState(disk: Persisted<KubeObject>, pool: Pool, index: number, lookup: Lookup): IndexState {
  if (isDeleting(disk)) return 'clearing';
  const controller = controllerOf(disk);
  if (!controller) return isKeptFor(pool, index, disk) ? 'free' : 'foreign';
  const holder =
    controller.kind === Vm.kind
      ? lookup.vm(controller.name)
      : controller.kind === DataVolume.kind
        ? lookup.dataVolume(controller.name)
        : undefined;
  // Of what holds it otherwise nothing is known: it is theirs.
  if (controller.kind !== Vm.kind && controller.kind !== DataVolume.kind) return 'taken';
  if (holder?.metadata.uid !== controller.uid) return 'clearing';
  return controller.kind === Vm.kind ? 'taken' : diskState(holder, pool, index, lookup);
}

/** Whether VMs of the pool have something to keep: disks, or firmware that remembers. */
export const mayHaveDisks = (pool: Pool): boolean =>
  hasState(pool) || (pool.spec.virtualMachineTemplate.spec?.dataVolumeTemplates ?? []).length > 0;

const hasState = ({ spec }: Pool): boolean => needsBackendStorage(spec.virtualMachineTemplate?.spec?.template?.spec);

/** The disks that the pool has kept for the index of a VM, and that belong to nobody since. */
export function keptDisks(pool: Pool, vm: Vm, index: number, lookup: Lookup): PoolDisks {
  const isKept = (disk: Persisted<KubeObject>): boolean =>
    !isDeleting(disk) && !controllerOf(disk) && !isOwnedBy(disk, vm) && isKeptFor(pool, index, disk);
  const names = dataVolumeNames(pool.spec, index);
  const claims = [...names.flatMap((name) => lookup.claim(name) ?? []), ...lookup.stateClaims(vm.metadata.name)];
  return {
    dataVolumes: names.flatMap((name) => lookup.dataVolume(name) ?? []).filter(isKept),
    claims: claims.filter(isKept),
  };
}

/** What says of the disks of a VM, while they belong to nobody, who keeps them for which VM to come. */
export function keptLabels({ metadata: { uid } }: Pool, vm: Vm): Readonly<Record<string, string>> {
  const index = indexOf(vm.metadata.name);
  return index === undefined ? {} : { [KEPT_FOR_POOL_LABEL]: uid, [KEPT_FOR_INDEX_LABEL]: String(index) };
}

const isKeptFor = (pool: Pool, index: number, { metadata: { labels } }: KubeObject): boolean =>
  labels?.[KEPT_FOR_POOL_LABEL] === pool.metadata.uid && labels[KEPT_FOR_INDEX_LABEL] === String(index);
