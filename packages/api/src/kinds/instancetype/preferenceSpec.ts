import { boolean, type Infer, int64, list, map, oneOf, quantity, string, struct } from '../../schema.ts';
import { optional, required, within } from '../customResource.ts';
import { ClockOffset, Timer } from '../kubevirt/clock.ts';
import { CPUFeature } from '../kubevirt/cpu.ts';
import { FeatureAPIC, FeatureHyperv, FeatureKVM, FeatureState } from '../kubevirt/features.ts';
import { EFI } from '../kubevirt/firmware.ts';
import { LaunchSecurity } from '../kubevirt/launchSecurity.ts';
import { DevicePreferences } from './devicePreferences.ts';

export const SpreadOptions = struct(
  'io.kubevirt.instancetype.v1beta1.SpreadOptions',
  'How virtual CPUs are spread over sockets, cores and threads.',
  {
    across: optional(
      oneOf('SocketsCoresThreads', 'SocketsCores', 'CoresThreads'),
      'Levels to spread over: SocketsCoresThreads, SocketsCores or CoresThreads. Defaults to SocketsCores.',
    ),
    ratio: optional(within(1, undefined, int64), 'Number of the finer units per coarser unit. Defaults to 2.'),
  },
);
export interface SpreadOptions extends Infer<typeof SpreadOptions> {}

export const CPUPreferences = struct(
  'io.kubevirt.instancetype.v1beta1.CPUPreferences',
  'Preferences for the virtual CPUs.',
  {
    preferredCPUFeatures: optional(list(CPUFeature), 'CPU features to require or disable.'),
    preferredCPUTopology: optional(
      oneOf(
        'preferCores',
        'preferSockets',
        'preferThreads',
        'preferSpread',
        'preferAny',
        'cores',
        'sockets',
        'threads',
        'spread',
        'any',
      ),
      'What the virtual CPUs of the instance type become: sockets, cores, threads, spread or any. Defaults to sockets.',
    ),
    spreadOptions: optional(SpreadOptions, 'How virtual CPUs are spread over sockets, cores and threads.'),
  },
);
export interface CPUPreferences extends Infer<typeof CPUPreferences> {}

export const ClockPreferences = struct(
  'io.kubevirt.instancetype.v1beta1.ClockPreferences',
  'Preferences for the clock.',
  {
    preferredClockOffset: optional(ClockOffset, "What the guest's clock is set to at boot."),
    preferredTimer: optional(Timer, 'Timers that are available to the guest.'),
  },
);
export interface ClockPreferences extends Infer<typeof ClockPreferences> {}

export const FeaturePreferences = struct(
  'io.kubevirt.instancetype.v1beta1.FeaturePreferences',
  'Preferences for hypervisor features.',
  {
    preferredAcpi: optional(FeatureState, 'Whether ACPI is on.'),
    preferredApic: optional(FeatureAPIC, 'Settings of the APIC.'),
    preferredHyperv: optional(FeatureHyperv, 'Hyper-V enlightenments to enable.'),
    preferredKvm: optional(FeatureKVM, 'How much the guest sees of KVM.'),
    preferredPvspinlock: optional(FeatureState, 'Whether paravirtualized spinlocks are on.'),
    preferredSmm: optional(FeatureState, 'Whether System Management Mode (SMM) is on. Secure boot needs it.'),
  },
);
export interface FeaturePreferences extends Infer<typeof FeaturePreferences> {}

export const FirmwarePreferences = struct(
  'io.kubevirt.instancetype.v1beta1.FirmwarePreferences',
  'Preferences for the firmware.',
  {
    preferredEfi: optional(EFI, 'Boot with UEFI, with these settings.'),
    preferredUseBios: optional(boolean, 'Whether to boot with BIOS.'),
    preferredUseBiosSerial: optional(boolean, 'Whether the BIOS writes to the serial console.'),
    preferredUseEfi: optional(boolean, 'Deprecated. Use preferredEfi.'),
    preferredUseSecureBoot: optional(boolean, 'Deprecated. Use preferredEfi.'),
  },
);
export interface FirmwarePreferences extends Infer<typeof FirmwarePreferences> {}

export const MachinePreferences = struct(
  'io.kubevirt.instancetype.v1beta1.MachinePreferences',
  'Preferences for the machine type.',
  {
    preferredMachineType: optional(string, 'Machine type of QEMU, such as q35.'),
  },
);
export interface MachinePreferences extends Infer<typeof MachinePreferences> {}

export const VolumePreferences = struct(
  'io.kubevirt.instancetype.v1beta1.VolumePreferences',
  'Preferences for volumes.',
  {
    preferredStorageClassName: optional(string, 'Storage class of DataVolumes that set none.'),
  },
);
export interface VolumePreferences extends Infer<typeof VolumePreferences> {}

export const CPUPreferenceRequirement = struct(
  'io.kubevirt.instancetype.v1beta1.CPUPreferenceRequirement',
  'CPUs that a VM must have.',
  {
    guest: required(int64, 'Minimum number of virtual CPUs.'),
  },
);
export interface CPUPreferenceRequirement extends Infer<typeof CPUPreferenceRequirement> {}

export const MemoryPreferenceRequirement = struct(
  'io.kubevirt.instancetype.v1beta1.MemoryPreferenceRequirement',
  'Memory that a VM must have.',
  {
    guest: required(quantity, 'Minimum amount of memory.'),
  },
);
export interface MemoryPreferenceRequirement extends Infer<typeof MemoryPreferenceRequirement> {}

export const PreferenceRequirements = struct(
  'io.kubevirt.instancetype.v1beta1.PreferenceRequirements',
  'Minimum requirements for a VM that uses the preference. Admission rejects a VM that does not meet them.',
  {
    architecture: optional(string, 'Architecture that the VM must have.'),
    cpu: optional(CPUPreferenceRequirement, 'CPUs that the VM must have.'),
    memory: optional(MemoryPreferenceRequirement, 'Memory that the VM must have.'),
  },
);
export interface PreferenceRequirements extends Infer<typeof PreferenceRequirements> {}

export const VirtualMachinePreferenceSpec = struct(
  'io.kubevirt.instancetype.v1beta1.VirtualMachinePreferenceSpec',
  'Defaults for fields that a VM does not set.',
  {
    annotations: optional(map(string), 'Annotations to add to the VirtualMachineInstance.'),
    clock: optional(ClockPreferences, 'Preferences for the clock.'),
    cpu: optional(CPUPreferences, 'Preferences for the virtual CPUs.'),
    devices: optional(DevicePreferences, 'Preferences for disks, network interfaces and other devices.'),
    features: optional(FeaturePreferences, 'Preferences for hypervisor features.'),
    firmware: optional(FirmwarePreferences, 'Preferences for BIOS or UEFI.'),
    machine: optional(MachinePreferences, 'Preferences for the machine type.'),
    preferSpreadSocketToCoreRatio: optional(int64, 'Deprecated. Use cpu.spreadOptions.ratio.'),
    preferredArchitecture: optional(string, 'CPU architecture of the guest, such as amd64.'),
    preferredLaunchSecurity: optional(LaunchSecurity, 'Confidential computing technology that protects the guest.'),
    preferredSubdomain: optional(string, "Subdomain of the guest's fully qualified host name."),
    preferredTerminationGracePeriodSeconds: optional(int64, 'Seconds the guest has to shut down.'),
    requirements: optional(PreferenceRequirements, 'Minimum requirements for a VM that uses the preference.'),
    volumes: optional(VolumePreferences, 'Preferences for the storage of volumes.'),
  },
);
export interface VirtualMachinePreferenceSpec extends Infer<typeof VirtualMachinePreferenceSpec> {}
