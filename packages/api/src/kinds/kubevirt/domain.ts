import { type Infer, oneOf, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';
import { Clock } from './clock.ts';
import { CPU } from './cpu.ts';
import { Devices } from './devices.ts';
import { DiskIOThreads } from './disk.ts';
import { Features } from './features.ts';
import { Firmware } from './firmware.ts';
import { LaunchSecurity } from './launchSecurity.ts';
import { Chassis, Machine } from './machine.ts';
import { Memory, ResourceRequirements } from './memory.ts';

export const DomainSpec = struct(
  'io.kubevirt.v1.DomainSpec',
  'Hardware of the virtual machine as the guest sees it: CPUs, memory, firmware and devices.',
  {
    chassis: optional(Chassis, 'What the guest reads about its case.'),
    clock: optional(Clock, 'Clock offset and timers of the guest.'),
    cpu: optional(CPU, 'The processors that the guest sees. One of each kind when missing.'),
    devices: required(Devices, 'Disks, network cards and everything else that is plugged in.'),
    features: optional(Features, 'Hypervisor features such as ACPI, SMM and Hyper-V enlightenments.'),
    firmware: optional(Firmware, 'BIOS or UEFI, and what it tells about the machine.'),
    ioThreads: optional(DiskIOThreads, 'A pool of I/O threads that disks share.'),
    ioThreadsPolicy: optional(
      string,
      'How I/O threads are given to disks: shared, auto or supplementalPool. None when empty.',
    ),
    launchSecurity: optional(
      LaunchSecurity,
      'Protects the guest from its host by confidential computing: SEV, SEV-SNP or TDX.',
    ),
    machine: optional(Machine, 'The kind of computer that is emulated.'),
    memory: optional(Memory, "Size and kind of the guest's memory."),
    rebootPolicy: optional(
      oneOf('Reboot', 'Terminate'),
      'What a reboot by the guest does: Reboot it in place, or Terminate the instance so that it starts with the newest settings.',
    ),
    resources: optional(ResourceRequirements, 'What the machine needs of its node.'),
  },
);
export interface DomainSpec extends Infer<typeof DomainSpec> {}
