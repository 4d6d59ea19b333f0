/** Words and predicates of volumes that move to other claims while their guest runs. */

import { conditionOf, isConditionTrue } from '../../conditions.ts';
import type { PersistentVolumeClaim } from '../core/persistentVolumeClaim.ts';
import type { VirtualMachineInstance } from './virtualMachineInstance.ts';
import { sharedVolumes } from './vmi.ts';
import { claimNameOf, isHotpluggable, type Volume } from './volume.ts';
import type { StorageMigratedVolumeInfo } from './volumeStatus.ts';

/** The strategy of a VM (`spec.updateVolumesStrategy`) whose changed volumes take their data along. */
export const MIGRATION_STRATEGY = 'Migration';
/** The condition of a VMI whose volumes are to move. */
export const VOLUMES_CHANGE = 'VolumesChange';
/** Its reason when the change was taken back. */
export const VOLUMES_CHANGE_CANCELLATION = 'VolumesChangeCancellation';
/** On migrations that bring a VMI to other volumes. */
export const VOLUME_UPDATE_LABEL = 'kubevirt.io/volume-update-migration';

/** The volumes of a VMI that are on their way to other claims. Its spec names the claims that they move to. */
export const migratedVolumes = ({ status }: VirtualMachineInstance): readonly StorageMigratedVolumeInfo[] =>
  status?.migratedVolumes ?? [];

/** Whether the VMI waits for a migration that takes its volumes to other claims, and could be migrated so. */
export const isVolumeMigratable = (vmi: VirtualMachineInstance): boolean =>
  migratedVolumes(vmi).length > 0 &&
  isConditionTrue(vmi, VOLUMES_CHANGE) &&
  isConditionTrue(vmi, 'StorageLiveMigratable');

/** The volume on another claim. */
export function onClaim<V extends Volume>(volume: V, claimName: string): V {
  if (claimNameOf(volume) === claimName) return volume;
  const { dataVolume: _, ...rest } = volume;
  return { ...rest, persistentVolumeClaim: { ...volume.persistentVolumeClaim, claimName } } as V;
}

/** The VMI with the volumes that its guest has: those that are on their way are where they come from. */
export function withCurrentVolumes<T extends VirtualMachineInstance>(vmi: T): T {
  const moving = migratedVolumes(vmi);
  if (moving.length === 0) return vmi;
  const volumes = vmi.spec.volumes?.map((volume) => {
    const source = moving.find(({ volumeName }) => volumeName === volume.name)?.sourcePVCInfo?.claimName;
    return source === undefined ? volume : onClaim(volume, source);
  });
  return { ...vmi, spec: { ...vmi.spec, volumes } };
}

/** Why volumes of a running VMI cannot move to other claims, in KubeVirt's words where it has some; undefined where they can. */
export function volumeMoveRefusal(
  vmi: VirtualMachineInstance,
  changed: readonly { readonly name: string }[],
  claimOf: (claim: string) => PersistentVolumeClaim | undefined,
): string | undefined {
  const invalid = invalidVolumes(vmi, changed);
  if (invalid !== undefined) return invalid;
  const migratable = conditionOf(vmi, 'StorageLiveMigratable');
  if (migratable?.status === 'False')
    return `cannot migrate the volumes as the VMI isn't migratable: ${migratable.message ?? migratable.reason ?? ''}`;
  const ofHost = (vmi.spec.volumes ?? []).find(({ hostDisk }) => hostDisk && !hostDisk.shared);
  if (ofHost)
    return `cannot migrate the VM. The volume ${ofHost.name} is a disk of the host and cannot move to a claim`;
  const left = (vmi.spec.volumes ?? []).find((volume) => {
    const claim = claimNameOf(volume);
    if (claim === undefined || changed.some(({ name }) => name === volume.name)) return false;
    return !claimOf(claim)?.spec?.accessModes?.includes('ReadWriteMany');
  });
  return left && `cannot migrate the VM. The volume ${left.name} is RWO and not included in the migration volumes`;
}

function invalidVolumes(
  vmi: VirtualMachineInstance,
  changed: readonly { readonly name: string }[],
): string | undefined {
  const { disks = [] } = vmi.spec.domain.devices ?? {};
  const diskOf = (of: string) => disks.find(({ name }) => name === of);
  const volumeOf = (of: string) => vmi.spec.volumes?.find(({ name }) => name === of);
  const filesystems = new Set(sharedVolumes(vmi).map(({ name }) => name));
  const isReadOnly = (name: string): boolean => {
    const disk = diskOf(name);
    const isReadDisk = disk?.disk?.readonly ?? disk?.lun?.readonly ?? disk?.cdrom !== undefined;
    return isReadDisk || volumeOf(name)?.persistentVolumeClaim?.readOnly === true;
  };
  const kinds: readonly (readonly [string, (name: string) => boolean])[] = [
    ['hotplugged', (name) => isHotpluggable(volumeOf(name) ?? {})],
    ['filesystems', (name) => filesystems.has(name)],
    ['shareable', (name) => diskOf(name)?.shareable === true],
    ['luns', (name) => diskOf(name)?.lun !== undefined],
    // QEMU copies only what its guest can write.
    ['read-only', isReadOnly],
  ];
  const texts = kinds.flatMap(([kind, is]) => {
    const names = changed.map(({ name }) => name).filter(is);
    return names.length > 0 ? [`${kind}: [${names.join(' ')}]`] : [];
  });
  return texts.length > 0 ? `invalid volumes to update with migration: ${texts.join(' ')}` : undefined;
}
