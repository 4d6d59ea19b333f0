/** Words and predicates of volumes that move to other claims while their guest runs. */

import { isConditionTrue } from '../../conditions.ts';
import type { VirtualMachineInstance } from './virtualMachineInstance.ts';
import { claimNameOf, type Volume } from './volume.ts';
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
