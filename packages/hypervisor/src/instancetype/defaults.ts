import type {
  ClockPreferences,
  CPUPreferences,
  FeaturePreferences,
  FirmwarePreferences,
  VirtualMachinePreferenceSpec,
} from '@vireo/api/kinds/instancetype/preferenceSpec.ts';
import type { Clock } from '@vireo/api/kinds/kubevirt/clock.ts';
import type { CPU } from '@vireo/api/kinds/kubevirt/cpu.ts';
import type { Features } from '@vireo/api/kinds/kubevirt/features.ts';
import type { Bootloader } from '@vireo/api/kinds/kubevirt/firmware.ts';
import { preferDevices } from './deviceDefaults.ts';
import { either, omitUndefined, omitUndefinedOrEmpty } from './fill.ts';
import type { AnnotatedVmiSpec } from './size.ts';

/** The VM with everything that it leaves open as the preference says. */
export function withDefaults(
  { spec: given, annotations }: AnnotatedVmiSpec,
  preference: VirtualMachinePreferenceSpec,
): AnnotatedVmiSpec {
  const spec = preferDevices(given, preference.devices);
  const { domain } = spec;
  const bootloader = preferBootloader(domain.firmware?.bootloader, preference.firmware);
  const machineType = either(domain.machine?.type, preference.machine?.preferredMachineType);
  return {
    annotations: { ...preference.annotations, ...annotations },
    spec: {
      ...spec,
      ...omitUndefined({
        architecture: either(spec.architecture, preference.preferredArchitecture),
        subdomain: either(spec.subdomain, preference.preferredSubdomain),
        terminationGracePeriodSeconds: either(
          spec.terminationGracePeriodSeconds,
          preference.preferredTerminationGracePeriodSeconds,
        ),
      }),
      domain: {
        ...domain,
        ...omitUndefined({
          clock: preferClock(domain.clock, preference.clock),
          cpu: preferCpuFeatures(domain.cpu, preference.cpu),
          features: preferFeatures(domain.features, preference.features),
          firmware: bootloader ? { ...domain.firmware, bootloader } : undefined,
          launchSecurity: either(domain.launchSecurity, preference.preferredLaunchSecurity),
          machine: machineType ? { ...domain.machine, type: machineType } : undefined,
        }),
      },
    },
  };
}

function preferCpuFeatures(cpu: CPU | undefined, preferred: CPUPreferences | undefined): CPU | undefined {
  const own = cpu?.features ?? [];
  const more = (preferred?.preferredCPUFeatures ?? []).filter(({ name }) => !own.some((each) => each.name === name));
  return more.length > 0 ? { ...cpu, features: [...own, ...more] } : cpu;
}

/** An offset is taken as a whole: half of one and half of another would be a third time. */
function preferClock(own: Clock | undefined, preferred: ClockPreferences | undefined): Clock | undefined {
  const hasOffset = own?.utc !== undefined || own?.timezone !== undefined;
  return omitUndefinedOrEmpty({
    ...own,
    ...(hasOffset ? {} : preferred?.preferredClockOffset),
    timer: either(own?.timer, preferred?.preferredTimer),
  });
}

function preferFeatures(own: Features = {}, preferred: FeaturePreferences | undefined): Features | undefined {
  const takesHyperv = preferred?.preferredHyperv && !own.hypervPassthrough?.enabled;
  return omitUndefinedOrEmpty({
    ...own,
    acpi: either(own.acpi, preferred?.preferredAcpi),
    apic: either(own.apic, preferred?.preferredApic),
    hyperv: takesHyperv ? { ...preferred.preferredHyperv, ...own.hyperv } : own.hyperv,
    kvm: either(own.kvm, preferred?.preferredKvm),
    pvspinlock: either(own.pvspinlock, preferred?.preferredPvspinlock),
    smm: either(own.smm, preferred?.preferredSmm),
  });
}

/** The firmware is the VM's choice; settings of the kind that it chose may still be preferred. */
function preferBootloader(
  own: Bootloader | undefined,
  preferred: FirmwarePreferences | undefined,
): Bootloader | undefined {
  if (!preferred) return own;
  const chosen = own?.bios || own?.efi ? own : firstChoice(preferred);
  if (!chosen) return own;
  const { bios, efi } = chosen;
  return omitUndefined({
    bios: bios && {
      ...bios,
      ...omitUndefined({ useSerial: either(bios.useSerial, preferred.preferredUseBiosSerial) }),
    },
    // Settings that come with the preferred UEFI are complete.
    efi:
      efi && efi !== preferred.preferredEfi
        ? { ...efi, ...omitUndefined({ secureBoot: either(efi.secureBoot, preferred.preferredUseSecureBoot) }) }
        : efi,
  });
}

function firstChoice(preferred: FirmwarePreferences): Bootloader | undefined {
  if (preferred.preferredUseBios) return { bios: {} };
  if (preferred.preferredEfi) return { efi: preferred.preferredEfi };
  return preferred.preferredUseEfi ? { efi: {} } : undefined;
}
