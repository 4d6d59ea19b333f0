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
  'One observation about an instance.',
  conditionFields,
);
export interface VirtualMachineInstanceCondition extends Infer<typeof VirtualMachineInstanceCondition> {}

export const InitrdInfo = struct('io.kubevirt.v1.InitrdInfo', 'What is known of an initial RAM disk.', {
  checksum: optional(int64, 'Checksum of its content.'),
});
export interface InitrdInfo extends Infer<typeof InitrdInfo> {}

export const KernelInfo = struct('io.kubevirt.v1.KernelInfo', 'What is known of a kernel.', {
  checksum: optional(int64, 'Checksum of its content.'),
});
export interface KernelInfo extends Infer<typeof KernelInfo> {}

export const KernelBootStatus = struct(
  'io.kubevirt.v1.KernelBootStatus',
  'What the guest was started with, where it starts a kernel directly.',
  {
    initrdInfo: optional(InitrdInfo, 'The initial RAM disk.'),
    kernelInfo: optional(KernelInfo, 'The kernel.'),
  },
);
export interface KernelBootStatus extends Infer<typeof KernelBootStatus> {}

export const TopologyHints = struct('io.kubevirt.v1.TopologyHints', 'What of its node a guest depends on.', {
  tscFrequency: optional(int64, 'Frequency of the time stamp counter in Hz.'),
});
export interface TopologyHints extends Infer<typeof TopologyHints> {}

export const VirtualMachineInstanceNetworkInterface = struct(
  'io.kubevirt.v1.VirtualMachineInstanceNetworkInterface',
  'A network card of a running guest.',
  {
    infoSource: optional(string, 'Who told: domain, guest-agent, multus-status or several of them.'),
    interfaceName: optional(string, 'Its name in the guest, such as eth0.'),
    ipAddress: optional(string, 'Its first address.'),
    ipAddresses: optional(list(string), 'All its addresses.'),
    linkState: optional(string, 'up or down.'),
    mac: optional(string, 'Its MAC address.'),
    name: optional(string, 'The network that it is joined to.'),
    podInterfaceName: optional(string, 'Its counterpart in the launcher.'),
    queueCount: optional(int32, 'How many queues it has.'),
  },
);
export interface VirtualMachineInstanceNetworkInterface extends Infer<typeof VirtualMachineInstanceNetworkInterface> {}

export const VirtualMachineInstancePhaseTransitionTimestamp = struct(
  'io.kubevirt.v1.VirtualMachineInstancePhaseTransitionTimestamp',
  'When a phase was reached.',
  {
    phase: optional(string, 'The phase.'),
    phaseTransitionTimestamp: optional(time, 'When.'),
  },
);
export interface VirtualMachineInstancePhaseTransitionTimestamp
  extends Infer<typeof VirtualMachineInstancePhaseTransitionTimestamp> {}

export const VirtualMachineInstanceStatus = struct(
  'io.kubevirt.v1.VirtualMachineInstanceStatus',
  'How a running machine is doing.',
  {
    VSOCKCID: optional(int64, 'Its number for VSOCK.'),
    activePods: optional(map(string), 'Launchers by UID, and the node that each is on.'),
    cdromStatus: optional(list(CDRomStatus, 'atomic'), 'Its CD-ROM drives, and what is in them.'),
    changedBlockTracking: optional(ChangedBlockTrackingStatus, 'Whether changed blocks are tracked.'),
    conditions: optional(
      list(VirtualMachineInstanceCondition),
      'Observations about the instance, one a type; Ready says whether the guest runs.',
    ),
    currentCPUTopology: optional(CPUTopology, 'The processors that it has now.'),
    evacuationNodeName: optional(string, 'The node that it has to leave.'),
    fsFreezeStatus: optional(string, 'frozen while its filesystems are frozen.'),
    guestOSInfo: optional(VirtualMachineInstanceGuestOSInfo, 'Its operating system, as the guest agent tells.'),
    interfaces: optional(list(VirtualMachineInstanceNetworkInterface), 'Its network cards and their addresses.'),
    kernelBootStatus: optional(KernelBootStatus, 'What it was started with, where it starts a kernel directly.'),
    launcherContainerImageVersion: optional(string, 'Image of its launcher.'),
    machine: optional(Machine, 'The kind of computer that is emulated.'),
    memory: optional(MemoryStatus, 'The memory that it has.'),
    migratedVolumes: optional(list(StorageMigratedVolumeInfo, 'atomic'), 'Volumes that move to other claims.'),
    migrationMethod: optional(string, 'How it can be migrated: LiveMigration or BlockMigration.'),
    migrationState: optional(VirtualMachineInstanceMigrationState, 'How the current or last migration is going.'),
    migrationTransport: optional(string, 'What carries migrations; Unix.'),
    nodeName: optional(string, 'The node that it runs on.'),
    phase: optional(string, 'Pending, Scheduling, Scheduled, Running, Succeeded, Failed, WaitingForSync or Unknown.'),
    phaseTransitionTimestamps: optional(
      list(VirtualMachineInstancePhaseTransitionTimestamp, 'atomic'),
      'When each phase was reached.',
    ),
    qosClass: optional(oneOf('BestEffort', 'Burstable', 'Guaranteed'), 'Guaranteed, Burstable or BestEffort.'),
    reason: optional(string, 'Why it is in its phase, in one CamelCase word.'),
    runtimeUser: optional(int64, 'The user that the launcher runs as; 0 for root.'),
    selinuxContext: optional(string, 'SELinux context of the launcher.'),
    topologyHints: optional(TopologyHints, 'What of its node it depends on.'),
    virtualMachineRevisionName: optional(string, 'Revision of the VirtualMachine that it was started from.'),
    volumeStatus: optional(list(VolumeStatus, 'atomic'), 'How its volumes are doing.'),
  },
);
export interface VirtualMachineInstanceStatus extends Infer<typeof VirtualMachineInstanceStatus> {}
