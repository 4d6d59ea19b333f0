import { own } from '@vireo/api/json.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import type { PersistentVolumeClaimInfo } from '@vireo/api/kinds/kubevirt/volumeStatus.ts';
import type { DomainView } from './domainView.ts';

export type VolumeStatuses = NonNullable<VmiStatus['volumeStatus']>;

/**
 * Where the guest finds each volume (directories have no place of their own), and the checksums of those that came out of images. What others have said of a
 * volume, its claim for one, stays.
 */
export function volumeStatus(
  { spec, status }: VirtualMachineInstance,
  { diskTargets, filesystems }: DomainView,
  checksums: Readonly<Record<string, number>> = {},
  memoryDump?: VolumeStatuses[number],
): VolumeStatuses {
  const before = status?.volumeStatus ?? [];
  const shared = filesystems ?? [];
  const isThere = (name: string): boolean => Object.hasOwn(diskTargets, name) || shared.includes(name);
  const names = (spec.volumes ?? []).map(({ name }) => name).filter(isThere);
  const attached = names.map((name) => ({
    ...before.find((each) => each.name === name),
    name,
    target: own(diskTargets, name) ?? '',
    ...(checksums[name] !== undefined && { containerDiskVolume: { checksum: checksums[name] } }),
  }));
  const others = before.filter(({ name, memoryDumpVolume }) => !names.includes(name) && !memoryDumpVolume);
  return [...attached, ...others, ...(memoryDump ? [memoryDump] : [])].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What is known of a claim, by its name. */
export type ClaimInfoLookup = (claim: string) => PersistentVolumeClaimInfo | undefined;

/** The statuses with what is known of the claims that the volumes are on; what was said of one that is gone stays. */
export function withClaimInfo(
  { spec }: VirtualMachineInstance,
  statuses: VolumeStatuses,
  lookup: ClaimInfoLookup = () => undefined,
): VolumeStatuses {
  return statuses.map((status) => {
    const volume = spec.volumes?.find(({ name }) => name === status.name);
    const claim = status.persistentVolumeClaimInfo?.claimName ?? (volume && claimNameOf(volume));
    const info = claim === undefined ? undefined : lookup(claim);
    return info ? { ...status, persistentVolumeClaimInfo: info } : status;
  });
}
