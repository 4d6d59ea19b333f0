import { boolean, type Infer, int32, int64, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';
import { FeatureState } from './features.ts';

export const DiskTarget = struct('io.kubevirt.v1.DiskTarget', 'Attaches the volume as a disk.', {
  bus: optional(string, 'Bus of the disk: virtio, sata, scsi or usb.'),
  pciAddress: optional(string, "Place on the guest's PCI bus, such as 0000:81:01.10; virtio only."),
  readonly: optional(boolean, 'Whether the guest can only read the disk.'),
});
export interface DiskTarget extends Infer<typeof DiskTarget> {}

export const LunTarget = struct(
  'io.kubevirt.v1.LunTarget',
  'Attaches the volume as a SCSI LUN, which passes SCSI commands to the device behind it.',
  {
    bus: optional(string, 'Bus of the LUN: virtio, sata or scsi.'),
    readonly: optional(boolean, 'Whether the guest can only read the LUN.'),
    reservation: optional(boolean, 'Whether the guest can reserve the disk for itself (SCSI persistent reservation).'),
  },
);
export interface LunTarget extends Infer<typeof LunTarget> {}

export const CDRomTarget = struct(
  'io.kubevirt.v1.CDRomTarget',
  'Attaches the volume as a CD-ROM drive, which may be empty.',
  {
    bus: optional(string, 'Bus of the drive: sata or scsi.'),
    readonly: optional(boolean, 'Whether the guest can only read the medium. Defaults to true.'),
    tray: optional(string, 'Position of the tray: open or closed. Defaults to closed.'),
  },
);
export interface CDRomTarget extends Infer<typeof CDRomTarget> {}

export const CustomBlockSize = struct(
  'io.kubevirt.v1.CustomBlockSize',
  'Block sizes of a disk in bytes. Each is a power of two.',
  {
    discardGranularity: optional(int32, 'The least that can be discarded at once.'),
    logical: optional(int32, 'Logical block size: the smallest unit that the guest can address.'),
    physical: optional(int32, 'The least that can be written at once.'),
  },
);
export interface CustomBlockSize extends Infer<typeof CustomBlockSize> {}

export const BlockSize = struct(
  'io.kubevirt.v1.BlockSize',
  'Block size that the guest sees. Set custom or matchVolume.',
  {
    custom: optional(CustomBlockSize, 'Logical and physical block size that the guest sees.'),
    matchVolume: optional(FeatureState, 'The sizes of the volume behind the disk.'),
  },
);
export interface BlockSize extends Infer<typeof BlockSize> {}

export const Disk = struct(
  'io.kubevirt.v1.Disk',
  'A disk, CD-ROM drive or LUN of the guest. The volume of the same name backs it. Set one of disk, cdrom and lun.',
  {
    blockSize: optional(BlockSize, "How large the guest sees the disk's blocks."),
    bootOrder: optional(
      int32,
      'Place in the boot order, from 1. Unique among disks and interfaces; a disk without one is not tried if another has one.',
    ),
    cache: optional(
      string,
      'Cache mode of the host: none, writethrough or writeback. Defaults to none if the storage supports it, otherwise to writethrough.',
    ),
    cdrom: optional(CDRomTarget, 'Attach the volume as a CD-ROM drive.'),
    changedBlockTracking: optional(boolean, 'Whether changed blocks are tracked, for incremental backups.'),
    dedicatedIOThread: optional(boolean, 'Whether the disk has its own I/O thread. Only for the virtio bus.'),
    disk: optional(DiskTarget, 'Attach the volume as a disk. This is the default.'),
    errorPolicy: optional(
      string,
      'What happens in the guest when the host cannot write: stop, ignore, report or enospace.',
    ),
    io: optional(string, 'How the host does I/O: native or threads.'),
    lun: optional(LunTarget, 'Attach the volume as a SCSI LUN.'),
    name: required(string, 'Name of the volume that feeds the disk. Unique among the disks.'),
    serial: optional(string, 'Serial number of the disk, as the guest reads it.'),
    shareable: optional(boolean, 'Whether several VMs may write to the disk at the same time.'),
    tag: optional(string, "Tag by which the guest finds the disk's address in its config drive."),
  },
);
export interface Disk extends Infer<typeof Disk> {}

export const DiskIOThreads = struct('io.kubevirt.v1.DiskIOThreads', 'A pool of I/O threads that disks share.', {
  supplementalPoolThreadCount: optional(int64, 'Number of threads for the policy supplementalPool.'),
});
export interface DiskIOThreads extends Infer<typeof DiskIOThreads> {}
