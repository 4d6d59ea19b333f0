import { boolean, type Infer, int64, list, map, oneOf, quantity, string, struct, time } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const ContainerDiskInfo = struct('io.kubevirt.v1.ContainerDiskInfo', 'Properties of a container disk.', {
  checksum: optional(int64, 'Checksum of the disk image.'),
});
export interface ContainerDiskInfo extends Infer<typeof ContainerDiskInfo> {}

export const DomainMemoryDumpInfo = struct(
  'io.kubevirt.v1.DomainMemoryDumpInfo',
  'State of a memory dump to the volume.',
  {
    claimName: optional(string, 'Name of the claim that the memory was dumped to.'),
    endTimestamp: optional(time, 'Time at which the dump ended.'),
    startTimestamp: optional(time, 'Time at which the dump started.'),
    targetFileName: optional(string, 'Name of the dump file in the claim.'),
  },
);
export interface DomainMemoryDumpInfo extends Infer<typeof DomainMemoryDumpInfo> {}

export const HotplugVolumeStatus = struct(
  'io.kubevirt.v1.HotplugVolumeStatus',
  'How a hotplugged volume is attached to the node.',
  {
    attachPodName: optional(string, 'Name of the pod that attaches the volume.'),
    attachPodUID: optional(string, 'UID of the pod that attaches the volume.'),
  },
);
export interface HotplugVolumeStatus extends Infer<typeof HotplugVolumeStatus> {}

export const PersistentVolumeClaimInfo = struct(
  'io.kubevirt.v1.PersistentVolumeClaimInfo',
  'Properties of the claim behind a volume.',
  {
    accessModes: optional(list(string, 'atomic'), 'Access modes of the claim.'),
    capacity: optional(map(quantity), 'Capacity that the bound volume provides.'),
    claimName: optional(string, 'Name of the PersistentVolumeClaim.'),
    filesystemOverhead: optional(string, 'Share of the volume that is reserved for its filesystem.'),
    preallocated: optional(boolean, 'Whether the space of the disk is fully allocated.'),
    requests: optional(map(quantity), 'Storage that the claim requests.'),
    volumeMode: optional(
      oneOf('Block', 'Filesystem', 'FromStorageProfile'),
      'Volume mode of the claim: Filesystem or Block.',
    ),
  },
);
export interface PersistentVolumeClaimInfo extends Infer<typeof PersistentVolumeClaimInfo> {}

export const VolumeStatus = struct('io.kubevirt.v1.VolumeStatus', 'State of one volume of a running guest.', {
  containerDiskVolume: optional(ContainerDiskInfo, 'Information about a container disk.'),
  hotplugVolume: optional(
    HotplugVolumeStatus,
    'How the volume is attached to the node. Only set for hotplugged volumes.',
  ),
  memoryDumpVolume: optional(DomainMemoryDumpInfo, 'State of the memory dump to this volume.'),
  message: optional(string, 'Human-readable details about the phase.'),
  name: required(string, 'Name of the volume in spec.volumes.'),
  persistentVolumeClaimInfo: optional(PersistentVolumeClaimInfo, 'Properties of the claim behind the volume.'),
  phase: optional(
    string,
    'Pending, Bound, AttachedToNode, MountedToPod, Ready, Detaching, UnMountedFromPod, or the state of a memory dump.',
  ),
  reason: optional(string, 'Reason for the phase as one CamelCase word.'),
  size: optional(int64, 'Size of the disk in bytes.'),
  target: required(string, 'Name of the device in the guest, such as sda.'),
});
export interface VolumeStatus extends Infer<typeof VolumeStatus> {}

export const CDRomStatus = struct('io.kubevirt.v1.CDRomStatus', 'State of a CD-ROM drive of a running guest.', {
  claimName: optional(string, 'Name of the claim whose medium is in the drive.'),
  message: optional(string, 'Human-readable description of what is wrong with the medium.'),
  name: required(string, 'Name of the drive, as in the list of disks.'),
  size: optional(int64, 'Size of the disc in bytes; missing while the drive is empty.'),
  target: required(string, 'Name of the device, such as sda.'),
  tray: required(oneOf('open', 'closed'), 'Whether the tray is open or closed.'),
});
export interface CDRomStatus extends Infer<typeof CDRomStatus> {}

export const StorageMigratedVolumeInfo = struct(
  'io.kubevirt.v1.StorageMigratedVolumeInfo',
  'A volume that is migrated from one claim to another.',
  {
    destinationPVCInfo: optional(PersistentVolumeClaimInfo, 'Claim that the volume is migrated to.'),
    sourcePVCInfo: optional(PersistentVolumeClaimInfo, 'Claim that the volume is migrated from.'),
    volumeName: required(string, 'Name of the volume in spec.volumes.'),
  },
);
export interface StorageMigratedVolumeInfo extends Infer<typeof StorageMigratedVolumeInfo> {}
