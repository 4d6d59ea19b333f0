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
  'How virtual processors are spread.',
  {
    across: optional(
      oneOf('SocketsCoresThreads', 'SocketsCores', 'CoresThreads'),
      'Over what: SocketsCoresThreads, SocketsCores or CoresThreads. SocketsCores when missing.',
    ),
    ratio: optional(within(1, undefined, int64), 'How many of the finer for each of the coarser; 2 when missing.'),
  },
);
export interface SpreadOptions extends Infer<typeof SpreadOptions> {}

export const CPUPreferences = struct('io.kubevirt.instancetype.v1beta1.CPUPreferences', 'Preferences for processors.', {
  preferredCPUFeatures: optional(list(CPUFeature), 'Features of the processor.'),
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
    'What the processors of the instance type become: sockets, cores, threads, spread or any. sockets when missing.',
  ),
  spreadOptions: optional(SpreadOptions, 'How they are spread.'),
});
export interface CPUPreferences extends Infer<typeof CPUPreferences> {}

export const ClockPreferences = struct(
  'io.kubevirt.instancetype.v1beta1.ClockPreferences',
  'Preferences for the clock.',
  {
    preferredClockOffset: optional(ClockOffset, 'What the clock shows at boot.'),
    preferredTimer: optional(Timer, 'The timers that the guest finds.'),
  },
);
export interface ClockPreferences extends Infer<typeof ClockPreferences> {}

export const FeaturePreferences = struct(
  'io.kubevirt.instancetype.v1beta1.FeaturePreferences',
  'Preferences for features.',
  {
    preferredAcpi: optional(FeatureState, 'Power management and device tables.'),
    preferredApic: optional(FeatureAPIC, 'The interrupt controller.'),
    preferredHyperv: optional(FeatureHyperv, 'What of Hyper-V the guest finds.'),
    preferredKvm: optional(FeatureKVM, 'How much the guest sees of KVM.'),
    preferredPvspinlock: optional(FeatureState, 'Locks that tell the host when they wait.'),
    preferredSmm: optional(FeatureState, 'System management mode.'),
  },
);
export interface FeaturePreferences extends Infer<typeof FeaturePreferences> {}

export const FirmwarePreferences = struct(
  'io.kubevirt.instancetype.v1beta1.FirmwarePreferences',
  'Preferences for the firmware.',
  {
    preferredEfi: optional(EFI, 'UEFI, with its settings.'),
    preferredUseBios: optional(boolean, 'Whether to boot with a BIOS.'),
    preferredUseBiosSerial: optional(boolean, 'Whether the BIOS writes to the serial console.'),
    preferredUseEfi: optional(boolean, 'No longer used; see preferredEfi.'),
    preferredUseSecureBoot: optional(boolean, 'No longer used; see preferredEfi.'),
  },
);
export interface FirmwarePreferences extends Infer<typeof FirmwarePreferences> {}

export const MachinePreferences = struct(
  'io.kubevirt.instancetype.v1beta1.MachinePreferences',
  'Preferences for the machine type.',
  {
    preferredMachineType: optional(string, 'Machine type of QEMU.'),
  },
);
export interface MachinePreferences extends Infer<typeof MachinePreferences> {}

export const VolumePreferences = struct(
  'io.kubevirt.instancetype.v1beta1.VolumePreferences',
  'Preferences for volumes.',
  {
    preferredStorageClassName: optional(string, 'Storage class of DataVolumes.'),
  },
);
export interface VolumePreferences extends Infer<typeof VolumePreferences> {}

export const CPUPreferenceRequirement = struct(
  'io.kubevirt.instancetype.v1beta1.CPUPreferenceRequirement',
  'Processors that a machine must have.',
  {
    guest: required(int64, 'How many at least.'),
  },
);
export interface CPUPreferenceRequirement extends Infer<typeof CPUPreferenceRequirement> {}

export const MemoryPreferenceRequirement = struct(
  'io.kubevirt.instancetype.v1beta1.MemoryPreferenceRequirement',
  'Memory that a machine must have.',
  {
    guest: required(quantity, 'How much at least.'),
  },
);
export interface MemoryPreferenceRequirement extends Infer<typeof MemoryPreferenceRequirement> {}

export const PreferenceRequirements = struct(
  'io.kubevirt.instancetype.v1beta1.PreferenceRequirements',
  'What a machine must have to be given the preference.',
  {
    architecture: optional(string, 'Its architecture.'),
    cpu: optional(CPUPreferenceRequirement, 'Its processors.'),
    memory: optional(MemoryPreferenceRequirement, 'Its memory.'),
  },
);
export interface PreferenceRequirements extends Infer<typeof PreferenceRequirements> {}

export const VirtualMachinePreferenceSpec = struct(
  'io.kubevirt.instancetype.v1beta1.VirtualMachinePreferenceSpec',
  'Defaults for what a machine leaves open.',
  {
    annotations: optional(map(string), 'Annotations for the instance.'),
    clock: optional(ClockPreferences, 'Preferences for the clock.'),
    cpu: optional(CPUPreferences, 'Preferences for processors.'),
    devices: optional(DevicePreferences, 'Preferences for devices.'),
    features: optional(FeaturePreferences, 'Preferences for features.'),
    firmware: optional(FirmwarePreferences, 'Preferences for the firmware.'),
    machine: optional(MachinePreferences, 'Preferences for the machine type.'),
    preferSpreadSocketToCoreRatio: optional(int64, 'Old place of cpu.spreadOptions.ratio.'),
    preferredArchitecture: optional(string, 'Architecture of the guest.'),
    preferredLaunchSecurity: optional(LaunchSecurity, 'Protection of the guest from its host.'),
    preferredSubdomain: optional(string, "Domain below the namespace's."),
    preferredTerminationGracePeriodSeconds: optional(int64, 'Seconds the guest has to shut down.'),
    requirements: optional(PreferenceRequirements, 'What a machine must have to be given the preference.'),
    volumes: optional(VolumePreferences, 'Preferences for volumes.'),
  },
);
export interface VirtualMachinePreferenceSpec extends Infer<typeof VirtualMachinePreferenceSpec> {}
