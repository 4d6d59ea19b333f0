import { boolean, type Infer, int32, int64, list, map, quantity, string, struct } from '../../schema.ts';
import { optional, required, within } from '../customResource.ts';
import { NUMA, Realtime } from '../kubevirt/cpu.ts';
import { DiskIOThreads } from '../kubevirt/disk.ts';
import { GPU, HostDevice } from '../kubevirt/hostDevice.ts';
import { LaunchSecurity } from '../kubevirt/launchSecurity.ts';
import { Hugepages } from '../kubevirt/memory.ts';

export const CPUInstancetype = struct(
  'io.kubevirt.instancetype.v1beta1.CPUInstancetype',
  'The processors that an instance type gives.',
  {
    dedicatedCPUPlacement: optional(boolean, 'Whether every virtual processor gets a processor of the node to itself.'),
    guest: required(within(1, undefined, int64), 'How many virtual processors.'),
    isolateEmulatorThread: optional(boolean, 'Whether the emulator gets one more dedicated processor.'),
    maxSockets: optional(within(1, undefined, int64), 'How far sockets may be raised while the machine runs.'),
    model: optional(string, 'Processor model, host-model or host-passthrough.'),
    numa: optional(NUMA, "How the guest's NUMA nodes come about."),
    realtime: optional(Realtime, 'Tuning for low latency.'),
  },
);
export interface CPUInstancetype extends Infer<typeof CPUInstancetype> {}

export const MemoryInstancetype = struct(
  'io.kubevirt.instancetype.v1beta1.MemoryInstancetype',
  'The memory that an instance type gives.',
  {
    guest: required(quantity, 'How much memory the guest has.'),
    hugepages: optional(Hugepages, 'Huge pages instead of ordinary memory.'),
    maxGuest: optional(quantity, 'How far the memory may be raised while the machine runs.'),
    overcommitPercent: optional(
      within(0, 100, int32),
      "Percent of the guest's memory that is not set aside on the node.",
    ),
  },
);
export interface MemoryInstancetype extends Infer<typeof MemoryInstancetype> {}

export const VirtualMachineInstancetypeSpec = struct(
  'io.kubevirt.instancetype.v1beta1.VirtualMachineInstancetypeSpec',
  'The size of a machine.',
  {
    annotations: optional(map(string), 'Annotations for the instance.'),
    cpu: required(CPUInstancetype, 'The processors.'),
    gpus: optional(list(GPU, 'atomic'), 'Graphics cards of the node.'),
    hostDevices: optional(list(HostDevice, 'atomic'), 'Devices of the node.'),
    ioThreads: optional(DiskIOThreads, 'A pool of I/O threads that disks share.'),
    ioThreadsPolicy: optional(string, 'How I/O threads are given to disks: shared, auto or supplementalPool.'),
    launchSecurity: optional(LaunchSecurity, 'Protects the guest from its host.'),
    memory: required(MemoryInstancetype, 'The memory.'),
    nodeSelector: optional(map(string), 'Labels that the node must have.'),
    schedulerName: optional(string, 'Who chooses the node.'),
  },
);
export interface VirtualMachineInstancetypeSpec extends Infer<typeof VirtualMachineInstancetypeSpec> {}
