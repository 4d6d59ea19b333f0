import { claimVolumes } from '../claims.ts';
import type { Vm, VmStatus } from '../kinds.ts';

/** Which volumes of a machine could be in a snapshot. None can while there is no snapshot class for their storage. */
export function volumeSnapshotStatuses(vm: Vm): VmStatus['volumeSnapshotStatuses'] {
  const volumes = vm.spec.template.spec?.volumes ?? [];
  if (volumes.length === 0) return undefined;
  const onClaims = new Set(claimVolumes(volumes).map(({ volume }) => volume));
  return volumes.map(({ name }) => ({
    name,
    enabled: false,
    reason: onClaims.has(name)
      ? `No VolumeSnapshotClass: Volume snapshots are not configured for the storage of volume [${name}]`
      : `Snapshot is not supported for this volumeSource type [${name}]`,
  }));
}
