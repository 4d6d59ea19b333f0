import type { Devices } from '@vireo/api/kinds/kubevirt/devices.ts';
import type { Disk } from '@vireo/api/kinds/kubevirt/disk.ts';
import type { Proposal } from './layer.ts';

/** The bus for every disk that names none. No CD-ROM drive is reached by virtio: it takes the next best. */
export const proposeDisks = (devices: Devices | undefined, bus: 'sata' | 'virtio'): Proposal<Disk>[] | undefined =>
  devices?.disks?.map((disk) => {
    if (disk.cdrom) return { cdrom: { bus: bus === 'virtio' ? 'scsi' : bus } };
    return disk.lun ? { lun: { bus } } : { disk: { bus } };
  });
