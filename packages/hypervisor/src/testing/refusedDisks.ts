import type { Refusal } from './refusal.ts';
import { claim, D, disk, type Rest, volume, withDisk } from './specParts.ts';

const virtio = { disk: { bus: 'virtio' } };
const blocks = (logical: number, physical: number, bus = 'virtio') =>
  disk({ disk: { bus }, blockSize: { custom: { logical, physical } } });
const two = (source: object): Rest => ({
  volumes: [
    { name: 'a', ...source },
    { name: 'b', ...source },
  ],
});
const AT = `${D}.disks[0]`;

/** Each line: what the spec says about disks and volumes, which field is blamed, and in which words. */
export const refusedDisks: Refusal[] = [
  [
    disk({ cdrom: {} }),
    volume({ downwardMetrics: {} }),
    `${AT}.disk`,
    `DownwardMetrics volume must be mapped to a disk, but disk is not set on ${AT}.disk.`,
  ],
  [
    disk({ disk: { bus: 'sata' } }),
    volume({ downwardMetrics: {} }),
    `${AT}.disk.bus`,
    `DownwardMetrics volume must be mapped to virtio bus, but ${AT}.disk.bus is set to sata`,
  ],
  [
    { devices: { disks: [{ name: 'root', bootOrder: 1 }], interfaces: [{ name: 'n', bridge: {}, bootOrder: 1 }] } },
    { ...claim, networks: [{ name: 'n', pod: {} }] },
    `${D}.interfaces[0].bootOrder`,
    `Boot order for ${D}.interfaces[0].bootOrder already set for a different device.`,
  ],
  [
    { devices: { disks: [{ name: 'Root', ...virtio }] } },
    { volumes: [{ name: 'Root', emptyDisk: { capacity: '1Gi' } }] },
    `${AT}.name`,
    /lower case alphanumeric/,
  ],
  [
    disk({ disk: { bus: 'sata', pciAddress: '0000:81:01.0' } }),
    claim,
    `${AT}.disk.pciAddress`,
    `disk ${AT}.name - setting a PCI address is only possible with bus type virtio.`,
  ],
  [
    disk({ disk: { bus: 'virtio', pciAddress: 'x' } }),
    claim,
    `${AT}.disk.pciAddress`,
    `disk ${AT}.name has malformed PCI address (x).`,
  ],
  [
    disk({ serial: 'a'.repeat(257) }),
    claim,
    `${AT}.serial`,
    `${AT} must be less than or equal to 256 in length, if specified`,
  ],
  [
    disk({ io: 'fast' }),
    claim,
    `${AT}.io`,
    `Disk IO mode for ${AT} is not supported. Supported modes are: native, threads.`,
  ],
  [
    disk({ cdrom: { bus: 'usb' } }),
    {},
    `${AT}.cdrom.bus`,
    'a CD-ROM drive that is empty or has a hotpluggable disc cannot use the bus usb; use sata or scsi',
  ],
  [
    disk({ cdrom: { bus: 'usb' } }),
    volume({ persistentVolumeClaim: { claimName: 'c', hotpluggable: true } }),
    `${AT}.cdrom.bus`,
    'a CD-ROM drive that is empty or has a hotpluggable disc cannot use the bus usb; use sata or scsi',
  ],
  [
    disk({ cdrom: { bus: 'sata', tray: 'bogus' } }),
    claim,
    `${AT}.cdrom.tray`,
    `${AT}.cdrom.tray has invalid value "bogus", must be one of: [open closed]`,
  ],
  [disk({ lun: { bus: 'sata' } }), claim, `${AT}.lun.bus`, 'a LUN requires the bus scsi, not sata'],
  [
    disk({ io: 'native', cache: 'writeback' }),
    claim,
    `${AT}.io`,
    `${AT}.io native requires the cache none, not writeback`,
  ],
  [
    disk({ ...virtio, shareable: true }),
    volume({ containerDisk: { image: 'i' } }),
    `${AT}.shareable`,
    `${AT}.shareable is not supported for volumes of type containerDisk: every VMI has its own copy`,
  ],
  [
    disk({ disk: { bus: 'virtio', pciAddress: '0001:00:02.0' } }),
    claim,
    `${AT}.disk.pciAddress`,
    'PCI address 0001:00:02.0 is not available: the guest only has domain 0000',
  ],
  [
    disk({ disk: { bus: 'virtio', pciAddress: '0000:81:01.0' } }),
    claim,
    `${AT}.disk.pciAddress`,
    'PCI address 0000:81:01.0 is not available: bus 81 of a q35 VMI only has slot 00',
  ],
  [
    disk({ disk: { bus: 'virtio', pciAddress: '0000:00:1f.0' } }),
    claim,
    `${AT}.disk.pciAddress`,
    'PCI address 0000:00:1f.0 is not available: slot 1f of bus 00 belongs to the chipset',
  ],
  [
    disk({ cdrom: { bus: 'sata' }, blockSize: { custom: { logical: 4096, physical: 4096 } } }),
    claim,
    `${AT}.blockSize.custom.logical`,
    'Logical size 4096 must be 512 on a sata bus',
  ],
  [
    disk({ ...virtio, blockSize: { custom: { logical: 512, physical: 512, discardGranularity: 4096 } } }),
    claim,
    `${AT}.blockSize.custom.discardGranularity`,
    'discardGranularity is not supported by libvirt',
  ],
  [
    disk({ blockSize: { custom: { logical: 512, physical: 512 }, matchVolume: {} } }),
    claim,
    `${AT}.blockSize`,
    "Block size matching can't be enabled together with a custom value",
  ],
  [
    blocks(4096, 512),
    claim,
    `${AT}.blockSize.custom.logical`,
    'Logical size 4096 must be the same or less than the physical size of 512',
  ],
  [blocks(512, 1025), claim, `${AT}.blockSize.custom.physical`, 'Provided size of 1025 is not a power of 2'],
  [
    blocks(256, 512),
    claim,
    `${AT}.blockSize.custom.logical`,
    'Provided size of 256 is less than the supported minimum size of 512',
  ],
  [
    blocks(512, 4 * 2 ** 20),
    claim,
    `${AT}.blockSize.custom.physical`,
    'Provided size of 4194304 is greater than the supported maximum size of 2097152',
  ],
  [blocks(4096, 4096, 'sata'), claim, `${AT}.blockSize.custom.logical`, 'Logical size 4096 must be 512 on a sata bus'],
  [
    disk({ lun: { bus: 'scsi', reservation: true } }),
    claim,
    `${D}.disks`,
    'persistent reservation is not enabled in kubevirt-config',
  ],
  [
    withDisk,
    { volumes: [...(claim.volumes ?? []), ...(claim.volumes ?? [])] },
    'spec.volumes[1].name',
    'spec.volumes[1] and spec.volumes[0] must not have the same Name.',
  ],
  [
    {},
    two({ serviceAccount: { serviceAccountName: 's' } }),
    'spec.volumes',
    'spec.volumes must have max one serviceAccount volume set',
  ],
  [{}, two({ downwardMetrics: {} }), 'spec.volumes', 'spec.volumes must have max one downwardMetric volume set'],
  [
    {},
    two({ memoryDump: { claimName: 'c' } }),
    'spec.volumes',
    'spec.volumes must have max one memory dump volume set',
  ],
  [
    {},
    { utilityVolumes: [{ name: 'u', claimName: 'c' }] },
    'spec.utilityVolumes',
    'utility volumes cannot be set when a VMI is created',
  ],
  [withDisk, volume({ dataVolume: { name: '' } }), 'spec.volumes[0].name', "DataVolume 'name' must be set"],
  [
    withDisk,
    volume({ downwardMetrics: {} }),
    'spec.volumes[0]',
    'downwardMetrics disks are not allowed: DownwardMetrics feature gate is not enabled.',
  ],
  [
    withDisk,
    volume({ configMap: {} }),
    'spec.volumes[0].configMap.name',
    'spec.volumes[0].configMap.name is a required field',
  ],
  [
    withDisk,
    volume({ serviceAccount: {} }),
    'spec.volumes[0].serviceAccount.serviceAccountName',
    'spec.volumes[0].serviceAccount.serviceAccountName is a required field',
  ],
  [
    withDisk,
    volume({ emptyDisk: { capacity: '0' } }),
    'spec.volumes[0].emptyDisk.capacity',
    "spec.volumes[0].emptyDisk.capacity '0': must be greater than 0.",
  ],
  [
    withDisk,
    volume({ hostDisk: { path: '', type: 'Disk' } }),
    'spec.volumes[0].hostDisk.path',
    'spec.volumes[0].hostDisk.path is required for hostDisk volume',
  ],
  [
    withDisk,
    volume({ hostDisk: { path: '/x', type: 'File' } }),
    'spec.volumes[0].hostDisk.type',
    "spec.volumes[0].hostDisk.type has invalid value 'File', allowed are 'Disk' or 'DiskOrCreate'",
  ],
  [
    withDisk,
    volume({ hostDisk: { path: '/x', type: 'Disk', capacity: '1Gi' } }),
    'spec.volumes[0].hostDisk.capacity',
    "spec.volumes[0].hostDisk.capacity is allowed to pass only with spec.volumes[0].hostDisk.type equal to 'DiskOrCreate'",
  ],
  [
    withDisk,
    volume({ containerPath: { path: '/data' } }),
    'spec.volumes[0]',
    'spec.volumes[0] has a containerPath, which requires a filesystem with the same name',
  ],
  [
    { devices: { filesystems: [{ name: 'root', virtiofs: {} }] } },
    volume({ containerPath: { path: '/proc/1' } }),
    'spec.volumes[0].containerPath.path',
    'spec.volumes[0].containerPath.path is a reserved path',
  ],
  [
    withDisk,
    volume({ cloudInitNoCloud: { userData: 'a', userDataBase64: 'YQ==' } }),
    'spec.volumes[0].cloudInitNoCloud',
    'spec.volumes[0].cloudInitNoCloud must have only one userdatasource set.',
  ],
  [
    withDisk,
    volume({ cloudInitNoCloud: { networkData: 'a', networkDataBase64: 'YQ==' } }),
    'spec.volumes[0].cloudInitNoCloud',
    'spec.volumes[0].cloudInitNoCloud must have only one networkdata source set.',
  ],
  [
    withDisk,
    volume({ cloudInitNoCloud: { networkDataBase64: '#!' } }),
    'spec.volumes[0].cloudInitNoCloud.networkDataBase64',
    /is not a valid base64 value\.$/,
  ],
  [
    withDisk,
    volume({ cloudInitNoCloud: { networkData: 'a'.repeat(2049) } }),
    'spec.volumes[0].cloudInitNoCloud',
    /networkdata exceeds 2048 byte limit/,
  ],
];
