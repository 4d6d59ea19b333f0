import type { Vm, VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import { writtenClaimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';

/** Which volumes of a VM could be in a snapshot; `supportsSnapshots`: whether the storage of a claim does. */
export function volumeSnapshotStatuses(
  vm: Vm,
  supportsSnapshots: (claim: string) => boolean,
): VmStatus['volumeSnapshotStatuses'] {
  const volumes = vm.spec.template.spec?.volumes ?? [];
  if (volumes.length === 0) return undefined;
  return volumes.map((volume) => {
    const { name } = volume;
    const claim = writtenClaimNameOf(volume);
    if (claim === undefined)
      return { name, enabled: false, reason: `Snapshot is not supported for this volumeSource type [${name}]` };
    if (supportsSnapshots(claim)) return { name, enabled: true };
    const reason = `No VolumeSnapshotClass: Volume snapshots are not configured for the storage of volume [${name}]`;
    return { name, enabled: false, reason };
  });
}
