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
    chassis: optional(Chassis, 'SMBIOS values about the chassis, which the guest reads.'),
    clock: optional(Clock, 'Clock offset and timers of the guest.'),
    cpu: optional(CPU, 'Topology, model and features of the virtual CPUs. Defaults to one CPU.'),
    devices: required(Devices, 'Disks, network cards and everything else that is plugged in.'),
    features: optional(Features, 'Hypervisor features such as ACPI, SMM and Hyper-V enlightenments.'),
    firmware: optional(
      Firmware,
      'Whether the guest boots with BIOS or UEFI, and the identity that the firmware reports.',
    ),
    ioThreads: optional(DiskIOThreads, 'A pool of I/O threads that disks share.'),
    ioThreadsPolicy: optional(
      string,
      'How disks share I/O threads: shared, auto or supplementalPool. If empty, disks have none.',
    ),
    launchSecurity: optional(
      LaunchSecurity,
      'Protects the guest from its host by confidential computing: SEV, SEV-SNP or TDX.',
    ),
    machine: optional(Machine, 'The kind of computer that is emulated.'),
    memory: optional(Memory, "Size and kind of the guest's memory."),
    rebootPolicy: optional(
      oneOf('Reboot', 'Terminate'),
      'What happens when the guest reboots: Reboot restarts it in place, Terminate ends the VMI so that it starts with the newest settings.',
    ),
    resources: optional(
      ResourceRequirements,
      'Resources that the guest requests from its node, and the limits on their use.',
    ),
  },
);
export interface DomainSpec extends Infer<typeof DomainSpec> {}
