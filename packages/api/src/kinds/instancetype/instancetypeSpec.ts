import { boolean, type Infer, int32, int64, list, map, quantity, string, struct } from '../../schema.ts';
import { optional, required, within } from '../customResource.ts';
import { NUMA, Realtime } from '../kubevirt/cpu.ts';
import { DiskIOThreads } from '../kubevirt/disk.ts';
import { GPU, HostDevice } from '../kubevirt/hostDevice.ts';
import { LaunchSecurity } from '../kubevirt/launchSecurity.ts';
import { Hugepages } from '../kubevirt/memory.ts';

export const CPUInstancetype = struct(
  'io.kubevirt.instancetype.v1beta1.CPUInstancetype',
  'CPUs that an instance type sets.',
  {
    dedicatedCPUPlacement: optional(boolean, 'Whether every virtual processor gets a processor of the node to itself.'),
    guest: required(
      within(1, undefined, int64),
      'Number of virtual CPUs. The preference spreads them over sockets, cores and threads.',
    ),
    isolateEmulatorThread: optional(boolean, 'Whether the emulator gets one more dedicated processor.'),
    maxSockets: optional(
      within(1, undefined, int64),
      'Maximum number of sockets that can be hotplugged while the guest runs.',
    ),
    model: optional(string, 'CPU model, such as host-model or host-passthrough.'),
    numa: optional(NUMA, "How the guest's NUMA nodes come about."),
    realtime: optional(Realtime, 'Tunes the guest for real-time workloads.'),
  },
);
export interface CPUInstancetype extends Infer<typeof CPUInstancetype> {}

export const MemoryInstancetype = struct(
  'io.kubevirt.instancetype.v1beta1.MemoryInstancetype',
  'Memory that an instance type sets.',
  {
    guest: required(quantity, 'Amount of memory that the guest sees.'),
    hugepages: optional(Hugepages, "Back the guest's memory with huge pages of the node."),
    maxGuest: optional(quantity, 'Maximum memory that can be hotplugged while the guest runs.'),
    overcommitPercent: optional(
      within(0, 100, int32),
      "Percent of the guest's memory that is not set aside on the node.",
    ),
  },
);
export interface MemoryInstancetype extends Infer<typeof MemoryInstancetype> {}

export const VirtualMachineInstancetypeSpec = struct(
  'io.kubevirt.instancetype.v1beta1.VirtualMachineInstancetypeSpec',
  'CPUs, memory and devices that an instance type sets. The VM cannot override them.',
  {
    annotations: optional(map(string), 'Annotations to add to the VirtualMachineInstance.'),
    cpu: required(CPUInstancetype, 'Number and properties of the virtual CPUs.'),
    gpus: optional(list(GPU, 'atomic'), 'GPUs of the node to assign to the guest.'),
    hostDevices: optional(list(HostDevice, 'atomic'), 'Devices of the node to assign to the guest.'),
    ioThreads: optional(DiskIOThreads, 'A pool of I/O threads that disks share.'),
    ioThreadsPolicy: optional(string, 'How I/O threads are given to disks: shared, auto or supplementalPool.'),
    launchSecurity: optional(LaunchSecurity, 'Confidential computing technology that protects the guest.'),
    memory: required(MemoryInstancetype, "Size and kind of the guest's memory."),
    nodeSelector: optional(map(string), 'Labels that a node must have for the guest to run on it.'),
    schedulerName: optional(string, 'Name of the scheduler that chooses the node.'),
  },
);
export interface VirtualMachineInstancetypeSpec extends Infer<typeof VirtualMachineInstancetypeSpec> {}
