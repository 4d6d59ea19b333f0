import { isFinal, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { writtenClaimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';

/** The claims, by `namespace/name`, whose data a guest may be changing. */
export function writtenClaims(vmi: Vmi): string[] {
  if (isFinal(vmi)) return [];
  const { metadata, spec, status } = vmi;
  const volumes = spec.volumes ?? [];
  const isOnlyRead = (name: string): boolean =>
    volumes.some(
      ({ persistentVolumeClaim, ephemeral }) =>
        (persistentVolumeClaim?.claimName === name && persistentVolumeClaim.readOnly) ||
        ephemeral?.persistentVolumeClaim?.claimName === name,
    );
  // A dump of memory is a volume of a VMI only while it is written.
  const named = volumes.flatMap((volume) => writtenClaimNameOf(volume) ?? []);
  // What is being unplugged, and the state of firmware, are in no spec.
  const reported = (status?.volumeStatus ?? [])
    .filter(({ memoryDumpVolume }) => !memoryDumpVolume)
    .flatMap(({ persistentVolumeClaimInfo }) => persistentVolumeClaimInfo?.claimName ?? []);
  return [...new Set([...named, ...reported])]
    .filter((name) => !isOnlyRead(name))
    .map((name) => `${metadata.namespace}/${name}`);
}
