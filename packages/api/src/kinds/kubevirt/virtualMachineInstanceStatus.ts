import { type Infer, int32, int64, list, map, oneOf, string, struct, time } from '../../schema.ts';
import { conditionFields, optional } from '../customResource.ts';
import { ChangedBlockTrackingStatus } from './changedBlockTracking.ts';
import { CPUTopology } from './cpu.ts';
import { VirtualMachineInstanceGuestOSInfo } from './guestAgent.ts';
import { Machine } from './machine.ts';
import { MemoryStatus } from './memory.ts';
import { VirtualMachineInstanceMigrationState } from './migrationState.ts';
import { CDRomStatus, StorageMigratedVolumeInfo, VolumeStatus } from './volumeStatus.ts';

export const VirtualMachineInstanceCondition = struct(
  'io.kubevirt.v1.VirtualMachineInstanceCondition',
  'A condition of a VirtualMachineInstance, such as Ready or LiveMigratable.',
  conditionFields,
);
export interface VirtualMachineInstanceCondition extends Infer<typeof VirtualMachineInstanceCondition> {}

export const InitrdInfo = struct('io.kubevirt.v1.InitrdInfo', 'Properties of the initrd that the guest booted with.', {
  checksum: optional(int64, 'Checksum of the initrd image.'),
});
export interface InitrdInfo extends Infer<typeof InitrdInfo> {}

export const KernelInfo = struct('io.kubevirt.v1.KernelInfo', 'Properties of the kernel that the guest booted with.', {
  checksum: optional(int64, 'Checksum of the kernel image.'),
});
export interface KernelInfo extends Infer<typeof KernelInfo> {}

export const KernelBootStatus = struct(
  'io.kubevirt.v1.KernelBootStatus',
  'Kernel and initrd of a guest that boots a kernel directly.',
  {
    initrdInfo: optional(InitrdInfo, 'Properties of the initrd, if there is one.'),
    kernelInfo: optional(KernelInfo, 'Properties of the kernel.'),
  },
);
export interface KernelBootStatus extends Infer<typeof KernelBootStatus> {}

export const TopologyHints = struct(
  'io.kubevirt.v1.TopologyHints',
  'Properties of its node that the guest depends on.',
  {
    tscFrequency: optional(int64, 'Frequency of the time stamp counter in Hz.'),
  },
);
export interface TopologyHints extends Infer<typeof TopologyHints> {}

export const VirtualMachineInstanceNetworkInterface = struct(
  'io.kubevirt.v1.VirtualMachineInstanceNetworkInterface',
  'A network interface of a running guest.',
  {
    infoSource: optional(string, 'Source of the values: domain, guest-agent, multus-status or several of them.'),
    interfaceName: optional(string, 'Name of the interface in the guest, such as eth0.'),
    ipAddress: optional(string, 'First IP address of the interface.'),
    ipAddresses: optional(list(string), 'All IP addresses of the interface.'),
    linkState: optional(string, 'State of the link: up or down.'),
    mac: optional(string, 'MAC address of the interface.'),
    name: optional(string, 'Name of the network in spec.networks.'),
    podInterfaceName: optional(string, 'Name of the matching interface in the launcher pod.'),
    queueCount: optional(int32, 'Number of queues of the interface.'),
  },
);
export interface VirtualMachineInstanceNetworkInterface extends Infer<typeof VirtualMachineInstanceNetworkInterface> {}

export const VirtualMachineInstancePhaseTransitionTimestamp = struct(
  'io.kubevirt.v1.VirtualMachineInstancePhaseTransitionTimestamp',
  'Time at which the VMI entered a phase.',
  {
    phase: optional(string, 'Name of the phase.'),
    phaseTransitionTimestamp: optional(time, 'Time at which the phase was entered.'),
  },
);
export interface VirtualMachineInstancePhaseTransitionTimestamp
  extends Infer<typeof VirtualMachineInstancePhaseTransitionTimestamp> {}

export const VirtualMachineInstanceStatus = struct(
  'io.kubevirt.v1.VirtualMachineInstanceStatus',
  'Observed state of a VirtualMachineInstance.',
  {
    VSOCKCID: optional(int64, 'VSOCK context ID (CID) of the guest.'),
    activePods: optional(map(string), 'Launchers by UID, and the node that each is on.'),
    cdromStatus: optional(list(CDRomStatus, 'atomic'), 'CD-ROM drives of the guest and their media.'),
    changedBlockTracking: optional(
      ChangedBlockTrackingStatus,
      'State of changed block tracking, which incremental backups need.',
    ),
    conditions: optional(
      list(VirtualMachineInstanceCondition),
      'Conditions of the VMI. Ready tells whether the guest runs.',
    ),
    currentCPUTopology: optional(CPUTopology, 'CPU topology that the guest has now.'),
    evacuationNodeName: optional(string, 'Name of the node that the guest must leave.'),
    fsFreezeStatus: optional(string, "Set to frozen while the guest's filesystems are frozen."),
    guestOSInfo: optional(
      VirtualMachineInstanceGuestOSInfo,
      'Operating system of the guest, as the guest agent reports it.',
    ),
    interfaces: optional(
      list(VirtualMachineInstanceNetworkInterface),
      'Network interfaces of the guest with their addresses.',
    ),
    kernelBootStatus: optional(KernelBootStatus, 'Kernel and initrd of a guest that boots a kernel directly.'),
    launcherContainerImageVersion: optional(string, "Image of the launcher pod's compute container."),
    machine: optional(Machine, 'The kind of computer that is emulated.'),
    memory: optional(MemoryStatus, 'Memory that the guest had at boot, has now and should have.'),
    migratedVolumes: optional(
      list(StorageMigratedVolumeInfo, 'atomic'),
      'Volumes that are being migrated to other claims.',
    ),
    migrationMethod: optional(string, 'How the guest can be migrated: LiveMigration or BlockMigration.'),
    migrationState: optional(VirtualMachineInstanceMigrationState, 'How the current or last migration is going.'),
    migrationTransport: optional(string, 'Transport of live migrations. Always Unix.'),
    nodeName: optional(string, 'Name of the node that the guest runs on.'),
    phase: optional(string, 'Pending, Scheduling, Scheduled, Running, Succeeded, Failed, WaitingForSync or Unknown.'),
    phaseTransitionTimestamps: optional(
      list(VirtualMachineInstancePhaseTransitionTimestamp, 'atomic'),
      'Times at which the VMI entered each phase.',
    ),
    qosClass: optional(
      oneOf('BestEffort', 'Burstable', 'Guaranteed'),
      'QoS class of the launcher pod: Guaranteed, Burstable or BestEffort.',
    ),
    reason: optional(string, 'Reason for the phase as one CamelCase word.'),
    runtimeUser: optional(int64, 'The user that the launcher runs as; 0 for root.'),
    selinuxContext: optional(string, 'SELinux context of the launcher pod.'),
    topologyHints: optional(TopologyHints, 'Properties of its node that the guest depends on.'),
    virtualMachineRevisionName: optional(
      string,
      'Name of the ControllerRevision of the VM that the VMI was started from.',
    ),
    volumeStatus: optional(list(VolumeStatus, 'atomic'), 'State of each volume.'),
  },
);
export interface VirtualMachineInstanceStatus extends Infer<typeof VirtualMachineInstanceStatus> {}
