import { boolean, type Infer, int64, list, map, oneOf, quantity, string, struct, time } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const ContainerDiskInfo = struct('io.kubevirt.v1.ContainerDiskInfo', 'What is known of a container disk.', {
  checksum: optional(int64, 'Checksum of its content.'),
});
export interface ContainerDiskInfo extends Infer<typeof ContainerDiskInfo> {}

export const DomainMemoryDumpInfo = struct('io.kubevirt.v1.DomainMemoryDumpInfo', 'How a memory dump went.', {
  claimName: optional(string, 'The claim that it was written to.'),
  endTimestamp: optional(time, 'When it ended.'),
  startTimestamp: optional(time, 'When it began.'),
  targetFileName: optional(string, 'The file in the claim.'),
});
export interface DomainMemoryDumpInfo extends Infer<typeof DomainMemoryDumpInfo> {}

export const HotplugVolumeStatus = struct(
  'io.kubevirt.v1.HotplugVolumeStatus',
  'How a volume that was plugged in got to the node.',
  {
    attachPodName: optional(string, 'The pod that attached it.'),
    attachPodUID: optional(string, 'UID of that pod.'),
  },
);
export interface HotplugVolumeStatus extends Infer<typeof HotplugVolumeStatus> {}

export const PersistentVolumeClaimInfo = struct(
  'io.kubevirt.v1.PersistentVolumeClaimInfo',
  'What is known of a claim.',
  {
    accessModes: optional(list(string, 'atomic'), 'How the volume may be mounted.'),
    capacity: optional(map(quantity), 'What the volume really has.'),
    claimName: optional(string, 'Name of the claim.'),
    filesystemOverhead: optional(string, 'Share of the volume that its filesystem takes.'),
    preallocated: optional(boolean, 'Whether its space is allocated already.'),
    requests: optional(map(quantity), 'What the claim asks for.'),
    volumeMode: optional(oneOf('Block', 'Filesystem', 'FromStorageProfile'), 'Filesystem or Block.'),
  },
);
export interface PersistentVolumeClaimInfo extends Infer<typeof PersistentVolumeClaimInfo> {}

export const VolumeStatus = struct('io.kubevirt.v1.VolumeStatus', 'How a volume of a running machine is doing.', {
  containerDiskVolume: optional(ContainerDiskInfo, 'What is known of a container disk.'),
  hotplugVolume: optional(HotplugVolumeStatus, 'How it got to the node; present when it was plugged in.'),
  memoryDumpVolume: optional(DomainMemoryDumpInfo, 'How a memory dump went.'),
  message: optional(string, 'Details, for people.'),
  name: required(string, 'Name of the volume.'),
  persistentVolumeClaimInfo: optional(PersistentVolumeClaimInfo, 'What is known of its claim.'),
  phase: optional(
    string,
    'Pending, Bound, AttachedToNode, MountedToPod, Ready, Detaching, UnMountedFromPod, or the state of a memory dump.',
  ),
  reason: optional(string, 'Why, in one CamelCase word.'),
  size: optional(int64, 'Size of the disk in bytes.'),
  target: required(string, 'Name of the device in the guest, such as sda.'),
});
export interface VolumeStatus extends Infer<typeof VolumeStatus> {}

export const CDRomStatus = struct('io.kubevirt.v1.CDRomStatus', 'A CD-ROM drive of a running machine.', {
  claimName: optional(string, 'The claim whose disc is in it.'),
  message: optional(string, 'What is wrong with the disc, for people.'),
  name: required(string, 'Name of the drive, as in the list of disks.'),
  size: optional(int64, 'Size of the disc in bytes; missing while the drive is empty.'),
  target: required(string, 'Name of the device, such as sda.'),
  tray: required(oneOf('open', 'closed'), 'Whether the tray is open or closed.'),
});
export interface CDRomStatus extends Infer<typeof CDRomStatus> {}

export const StorageMigratedVolumeInfo = struct(
  'io.kubevirt.v1.StorageMigratedVolumeInfo',
  'A volume that moves to another claim.',
  {
    destinationPVCInfo: optional(PersistentVolumeClaimInfo, 'The claim that it moves to.'),
    sourcePVCInfo: optional(PersistentVolumeClaimInfo, 'The claim that it comes from.'),
    volumeName: required(string, 'Name of the volume.'),
  },
);
export interface StorageMigratedVolumeInfo extends Infer<typeof StorageMigratedVolumeInfo> {}
