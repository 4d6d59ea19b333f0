import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VmiCondition } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';

type ConditionBody = Omit<VmiCondition, 'type'>;
interface MigrationBlocker {
  readonly reason: string;
  readonly message: string;
}

/** Whether the guest could move to another node as it is, and whether it could if its disks moved with it. */
export function migrationConditions(
  vmi: VirtualMachineInstance,
): Record<'LiveMigratable' | 'StorageLiveMigratable', ConditionBody> {
  const disk = diskBlocker(vmi);
  const others = [interfaceBlocker(vmi), deviceBlocker(vmi), filesystemBlocker(vmi)].filter(
    (each) => each !== undefined,
  );
  const first = disk ?? others[0];
  return {
    LiveMigratable: first ? { status: 'False', ...first } : { status: 'True' },
    StorageLiveMigratable:
      others.length === 0
        ? { status: 'True' }
        : {
            status: 'False',
            reason: 'NotMigratable',
            message: others.map(({ reason, message }) => `${reason}: ${message}`).join(', '),
          },
  };
}

/** Whether a migration would have to carry disks along. */
export const migrationMethod = ({ spec }: VirtualMachineInstance): string =>
  (spec.volumes ?? []).every((volume) => volume.persistentVolumeClaim ?? volume.dataVolume)
    ? 'LiveMigration'
    : 'BlockMigration';

function diskBlocker({ spec, status }: VirtualMachineInstance): MigrationBlocker | undefined {
  for (const volume of spec.volumes ?? []) {
    const message = volumeBlocker(
      volume,
      status?.volumeStatus?.find(({ name }) => name === volume.name),
    );
    if (message) return { reason: 'DisksNotLiveMigratable', message };
  }
  return undefined;
}

type VolumeStatus = NonNullable<NonNullable<VirtualMachineInstance['status']>['volumeStatus']>[number];

function volumeBlocker(volume: Volume, status: VolumeStatus | undefined): string | undefined {
  const claim = claimNameOf(volume);
  if (claim !== undefined)
    return status?.persistentVolumeClaimInfo?.accessModes?.includes('ReadWriteMany')
      ? undefined
      : `cannot migrate VMI: PVC ${claim} is not shared, live migration requires that all PVCs must be shared (using ReadWriteMany access mode)`;
  if (volume.hostDisk) return 'cannot migrate VMI with non-shared HostDisk';
  const isLocal = volume.containerDisk ?? volume.emptyDisk ?? volume.ephemeral;
  return isLocal ? `cannot migrate VMI: volume ${volume.name} is local to its node` : undefined;
}

/** An interface that is part of QEMU's process has nothing outside of it that could follow the guest. */
const interfaceBlocker = ({ spec }: VirtualMachineInstance): MigrationBlocker | undefined => {
  const pod = spec.networks?.find((network) => network.pod)?.name;
  const iface = spec.domain.devices.interfaces?.find(({ name }) => name === pod);
  return (
    iface && {
      reason: 'InterfaceNotLiveMigratable',
      message: `cannot migrate VMI: interface ${iface.name} is connected to the pod network through QEMU's user networking, whose connections cannot be migrated`,
    }
  );
};

const deviceBlocker = ({ spec }: VirtualMachineInstance): MigrationBlocker | undefined =>
  [...(spec.domain.devices.hostDevices ?? []), ...(spec.domain.devices.gpus ?? [])].length > 0
    ? { reason: 'HostDeviceNotLiveMigratable', message: 'VMI uses a PCI host devices' }
    : undefined;

/** QEMU cannot carry what virtiofsd knows of open files to another node. */
const filesystemBlocker = ({ spec }: VirtualMachineInstance): MigrationBlocker | undefined =>
  (spec.domain.devices.filesystems ?? []).length > 0
    ? { reason: 'VirtIOFSNotLiveMigratable', message: 'VMI uses virtiofs' }
    : undefined;
