import { VirtualMachinePreferenceSpec } from '@vireo/api/kinds/instancetype/preferenceSpec.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { describe, expect, it } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { fieldsOf } from '../testing/fieldsOf.ts';
import { applyInstancetype } from './apply.ts';

type Spec = VirtualMachineInstanceSpec;

const config = clusterConfig(undefined);

interface Case {
  readonly preference: VirtualMachinePreferenceSpec;
  /** A VMI that the preference has something to say to. */
  readonly silent?: Partial<Spec>;
  readonly becomes: object;
  /** A VMI that has made up its mind, and what it says. */
  readonly decided?: Partial<Spec>;
}

const domain = (domain: Partial<Spec['domain']>): Partial<Spec> => ({
  domain: { ...domain, devices: { autoattachPodInterface: false, ...domain.devices } },
});
const devices = (devices: Spec['domain']['devices']): Partial<Spec> => domain({ devices });
const device = (preferred: NonNullable<VirtualMachinePreferenceSpec['devices']>): VirtualMachinePreferenceSpec => ({
  devices: preferred,
});
const rootDisk = (more: object): Partial<Spec> => ({
  ...devices({ disks: [{ name: 'root', ...more }] }),
  volumes: [{ name: 'root', emptyDisk: { capacity: '1Gi' } }],
});
const podCard = (more: object): Partial<Spec> => ({
  domain: { devices: { interfaces: [{ name: 'default', ...more }] } },
  networks: [{ name: 'default', pod: {} }],
});
const inDevices = (devices: object) => ({ domain: { devices } });

/** Every field of a preference, with a VMI that it changes and one that it leaves alone. */
const CASES: Record<string, Case> = {
  preferredArchitecture: {
    preference: { preferredArchitecture: 'arm64' },
    becomes: { architecture: 'arm64' },
    decided: { architecture: 'amd64' },
  },
  preferredLaunchSecurity: {
    preference: { preferredLaunchSecurity: { sev: {} } },
    becomes: { domain: { launchSecurity: { sev: {} } } },
    decided: domain({ launchSecurity: { tdx: {} } }),
  },
  preferredSubdomain: {
    preference: { preferredSubdomain: 'kubevirt.io' },
    becomes: { subdomain: 'kubevirt.io' },
    decided: { subdomain: 'mine' },
  },
  preferredTerminationGracePeriodSeconds: {
    preference: { preferredTerminationGracePeriodSeconds: 180 },
    becomes: { terminationGracePeriodSeconds: 180 },
    decided: { terminationGracePeriodSeconds: 0 },
  },
  'machine.preferredMachineType': {
    preference: { machine: { preferredMachineType: 'pc-q35-rhel9.6.0' } },
    becomes: { domain: { machine: { type: 'pc-q35-rhel9.6.0' } } },
    decided: domain({ machine: { type: 'q35' } }),
  },
  'clock.preferredClockOffset': {
    preference: { clock: { preferredClockOffset: { timezone: 'Europe/Berlin' } } },
    becomes: { domain: { clock: { timezone: 'Europe/Berlin' } } },
    decided: domain({ clock: { utc: {} } }),
  },
  'clock.preferredTimer': {
    preference: { clock: { preferredTimer: { hpet: { present: false } } } },
    becomes: { domain: { clock: { timer: { hpet: { present: false } } } } },
    decided: domain({ clock: { timer: { pit: { tickPolicy: 'delay' } } } }),
  },
  'cpu.preferredCPUFeatures': {
    preference: { cpu: { preferredCPUFeatures: [{ name: 'vmx' }, { name: 'x2apic', policy: 'disable' }] } },
    silent: domain({ cpu: { features: [{ name: 'x2apic', policy: 'require' }] } }),
    becomes: { domain: { cpu: { features: [{ name: 'x2apic', policy: 'require' }, { name: 'vmx' }] } } },
  },
  'features.preferredAcpi': {
    preference: { features: { preferredAcpi: { enabled: false } } },
    becomes: { domain: { features: { acpi: { enabled: false } } } },
    decided: domain({ features: { acpi: { enabled: true } } }),
  },
  'features.preferredApic': {
    preference: { features: { preferredApic: { endOfInterrupt: true } } },
    becomes: { domain: { features: { apic: { endOfInterrupt: true } } } },
    decided: domain({ features: { apic: {} } }),
  },
  'features.preferredHyperv': {
    preference: { features: { preferredHyperv: { relaxed: {}, spinlocks: { spinlocks: 8191 } } } },
    silent: domain({ features: { hyperv: { spinlocks: { spinlocks: 4096 } } } }),
    becomes: { domain: { features: { hyperv: { relaxed: {}, spinlocks: { spinlocks: 4096 } } } } },
    decided: domain({ features: { hypervPassthrough: { enabled: true } } }),
  },
  'features.preferredKvm': {
    preference: { features: { preferredKvm: { hidden: true } } },
    becomes: { domain: { features: { kvm: { hidden: true } } } },
    decided: domain({ features: { kvm: { hidden: false } } }),
  },
  'features.preferredPvspinlock': {
    preference: { features: { preferredPvspinlock: { enabled: false } } },
    becomes: { domain: { features: { pvspinlock: { enabled: false } } } },
    decided: domain({ features: { pvspinlock: {} } }),
  },
  'features.preferredSmm': {
    preference: { features: { preferredSmm: {} } },
    becomes: { domain: { features: { smm: {} } } },
    decided: domain({ features: { smm: { enabled: false } } }),
  },
  'firmware.preferredEfi': {
    preference: { firmware: { preferredEfi: { secureBoot: true }, preferredUseSecureBoot: false } },
    becomes: { domain: { firmware: { bootloader: { efi: { secureBoot: true } } } } },
    decided: domain({ firmware: { bootloader: { bios: {} } } }),
  },
  'firmware.preferredUseBios': {
    preference: { firmware: { preferredUseBios: true } },
    becomes: { domain: { firmware: { bootloader: { bios: {} } } } },
    decided: domain({ firmware: { bootloader: { efi: {} } } }),
  },
  'firmware.preferredUseBiosSerial': {
    preference: { firmware: { preferredUseBiosSerial: true } },
    silent: domain({ firmware: { bootloader: { bios: {} } } }),
    becomes: { domain: { firmware: { bootloader: { bios: { useSerial: true } } } } },
    decided: domain({ firmware: { bootloader: { bios: { useSerial: false } } } }),
  },
  'firmware.preferredUseEfi': {
    preference: { firmware: { preferredUseEfi: true } },
    silent: domain({ firmware: { uuid: 'u' } }),
    becomes: { domain: { firmware: { uuid: 'u', bootloader: { efi: {} } } } },
    decided: domain({ firmware: { bootloader: { bios: {} } } }),
  },
  'firmware.preferredUseSecureBoot': {
    preference: { firmware: { preferredUseEfi: true, preferredUseSecureBoot: false } },
    becomes: { domain: { firmware: { bootloader: { efi: { secureBoot: false } } } } },
    decided: domain({ firmware: { bootloader: { efi: { secureBoot: true } } } }),
  },
  'devices.preferredAutoattachGraphicsDevice': {
    preference: device({ preferredAutoattachGraphicsDevice: false }),
    becomes: inDevices({ autoattachGraphicsDevice: false }),
    decided: devices({ autoattachGraphicsDevice: true }),
  },
  'devices.preferredAutoattachInputDevice': {
    preference: device({ preferredAutoattachInputDevice: true, preferredInputBus: 'virtio' }),
    becomes: inDevices({ inputs: [{ name: 'default-0', bus: 'virtio', type: 'tablet' }] }),
    decided: devices({ autoattachInputDevice: false }),
  },
  'devices.preferredAutoattachMemBalloon': {
    preference: device({ preferredAutoattachMemBalloon: false }),
    becomes: inDevices({ autoattachMemBalloon: false }),
    decided: devices({ autoattachMemBalloon: true }),
  },
  'devices.preferredAutoattachPodInterface': {
    preference: device({ preferredAutoattachPodInterface: false }),
    silent: { domain: { devices: {} } },
    becomes: inDevices({ autoattachPodInterface: false }),
    decided: {
      domain: { devices: { autoattachPodInterface: true, interfaces: [{ name: 'default', bridge: {} }] } },
      networks: [{ name: 'default', pod: {} }],
    },
  },
  'devices.preferredAutoattachSerialConsole': {
    preference: device({ preferredAutoattachSerialConsole: false }),
    becomes: inDevices({ autoattachSerialConsole: false }),
    decided: devices({ autoattachSerialConsole: true }),
  },
  'devices.preferredBlockMultiQueue': {
    preference: device({ preferredBlockMultiQueue: true }),
    becomes: inDevices({ blockMultiQueue: true }),
    decided: devices({ blockMultiQueue: false }),
  },
  'devices.preferredCdromBus': {
    preference: device({ preferredCdromBus: 'scsi' }),
    silent: rootDisk({ cdrom: {} }),
    becomes: inDevices({ disks: [{ name: 'root', cdrom: { bus: 'scsi' } }] }),
    decided: rootDisk({ cdrom: { bus: 'sata' } }),
  },
  'devices.preferredDisableHotplug': {
    preference: device({ preferredDisableHotplug: true }),
    becomes: inDevices({ disableHotplug: true }),
    decided: devices({ disableHotplug: false }),
  },
  'devices.preferredDiskBlockSize': {
    preference: device({ preferredDiskBlockSize: { matchVolume: {} } }),
    silent: rootDisk({ disk: {} }),
    becomes: inDevices({ disks: [{ name: 'root', disk: {}, blockSize: { matchVolume: {} } }] }),
    decided: rootDisk({ disk: {}, blockSize: { custom: { logical: 512, physical: 512 } } }),
  },
  'devices.preferredDiskBus': {
    preference: device({ preferredDiskBus: 'virtio' }),
    silent: { volumes: [{ name: 'root', emptyDisk: { capacity: '1Gi' } }] },
    becomes: inDevices({ disks: [{ name: 'root', disk: { bus: 'virtio' } }] }),
    decided: rootDisk({ disk: { bus: 'sata' } }),
  },
  'devices.preferredDiskCache': {
    preference: device({ preferredDiskCache: 'writethrough' }),
    silent: rootDisk({ disk: {} }),
    becomes: inDevices({ disks: [{ name: 'root', cache: 'writethrough' }] }),
    decided: rootDisk({ disk: {}, cache: 'none' }),
  },
  'devices.preferredDiskDedicatedIoThread': {
    preference: device({ preferredDiskDedicatedIoThread: true, preferredDiskBus: 'virtio' }),
    silent: rootDisk({ disk: {} }),
    becomes: inDevices({ disks: [{ name: 'root', disk: { bus: 'virtio' }, dedicatedIOThread: true }] }),
    decided: rootDisk({ disk: { bus: 'sata' } }),
  },
  'devices.preferredDiskIO': {
    preference: device({ preferredDiskIO: 'native' }),
    silent: rootDisk({ disk: {} }),
    becomes: inDevices({ disks: [{ name: 'root', io: 'native' }] }),
    decided: rootDisk({ disk: {}, io: 'threads' }),
  },
  'devices.preferredInputBus': {
    preference: device({ preferredInputBus: 'virtio' }),
    silent: devices({ inputs: [{ name: 'tablet', type: 'tablet' }] }),
    becomes: inDevices({ inputs: [{ name: 'tablet', type: 'tablet', bus: 'virtio' }] }),
    decided: devices({ inputs: [{ name: 'tablet', type: 'tablet', bus: 'usb' }] }),
  },
  'devices.preferredInputType': {
    preference: device({ preferredInputType: 'tablet' }),
    silent: devices({ inputs: [{ name: 'in', type: '', bus: 'usb' }] }),
    becomes: inDevices({ inputs: [{ name: 'in', type: 'tablet', bus: 'usb' }] }),
    decided: devices({ inputs: [{ name: 'in', type: 'keyboard', bus: 'usb' }] }),
  },
  'devices.preferredInterfaceMasquerade': {
    preference: device({ preferredInterfaceMasquerade: {} }),
    silent: podCard({}),
    becomes: inDevices({ interfaces: [{ name: 'default', masquerade: {} }] }),
    decided: podCard({ bridge: {} }),
  },
  'devices.preferredInterfaceModel': {
    preference: device({ preferredInterfaceModel: 'e1000e' }),
    silent: { domain: { devices: {} } },
    becomes: inDevices({ interfaces: [{ name: 'default', bridge: {}, model: 'e1000e' }] }),
    decided: podCard({ bridge: {}, model: 'virtio' }),
  },
  'devices.preferredLunBus': {
    preference: device({ preferredLunBus: 'scsi' }),
    silent: rootDisk({ lun: {} }),
    becomes: inDevices({ disks: [{ name: 'root', lun: { bus: 'scsi' } }] }),
    decided: rootDisk({ lun: { bus: 'virtio' } }),
  },
  'devices.preferredNetworkInterfaceMultiQueue': {
    preference: device({ preferredNetworkInterfaceMultiQueue: true }),
    becomes: inDevices({ networkInterfaceMultiqueue: true }),
    decided: devices({ networkInterfaceMultiqueue: false }),
  },
  'devices.preferredPanicDeviceModel': {
    preference: device({ preferredPanicDeviceModel: 'pvpanic' }),
    becomes: inDevices({ panicDevices: [{ model: 'pvpanic' }] }),
    decided: devices({ panicDevices: [{ model: 'isa' }] }),
  },
  'devices.preferredRng': {
    preference: device({ preferredRng: {} }),
    becomes: inDevices({ rng: {} }),
    decided: devices({ rng: {} }),
  },
  'devices.preferredSoundModel': {
    preference: device({ preferredSoundModel: 'ac97' }),
    silent: devices({ sound: { name: 'sound' } }),
    becomes: inDevices({ sound: { name: 'sound', model: 'ac97' } }),
    decided: devices({ sound: { name: 'sound', model: 'ich9' } }),
  },
  'devices.preferredTPM': {
    preference: device({ preferredTPM: { persistent: true } }),
    becomes: inDevices({ tpm: { persistent: true } }),
    decided: devices({ tpm: { enabled: false } }),
  },
  'devices.preferredUseVirtioTransitional': {
    preference: device({ preferredUseVirtioTransitional: true }),
    becomes: inDevices({ useVirtioTransitional: true }),
    decided: devices({ useVirtioTransitional: false }),
  },
  'devices.preferredVideoType': {
    preference: device({ preferredVideoType: 'virtio' }),
    becomes: inDevices({ video: { type: 'virtio' } }),
    decided: devices({ autoattachGraphicsDevice: false }),
  },
  'devices.preferredVirtualGPUOptions': {
    preference: device({ preferredVirtualGPUOptions: { display: { enabled: false } } }),
    silent: devices({ gpus: [{ name: 'gpu', deviceName: 'd' }] }),
    becomes: inDevices({ gpus: [{ virtualGPUOptions: { display: { enabled: false } } }] }),
    decided: devices({ gpus: [{ name: 'gpu', deviceName: 'd', virtualGPUOptions: {} }] }),
  },
};

/** Fields that speak of something else than the spec of a VMI, with the tests that are about them. */
const ELSEWHERE: Record<string, string> = {
  annotations: 'below',
  'cpu.preferredCPUTopology': 'apply.test.ts',
  'cpu.spreadOptions.across': 'apply.test.ts',
  'cpu.spreadOptions.ratio': 'apply.test.ts',
  preferSpreadSocketToCoreRatio: 'apply.test.ts',
  'requirements.architecture': 'requirements.test.ts',
  'requirements.cpu.guest': 'requirements.test.ts',
  'requirements.memory.guest': 'requirements.test.ts',
  'volumes.preferredStorageClassName': 'expand.test.ts',
};

function applied(given: Partial<Spec>, preference: VirtualMachinePreferenceSpec) {
  const spec: Spec = { domain: { devices: { autoattachPodInterface: false } }, ...given };
  return { spec, result: applyInstancetype({ spec, annotations: {} }, { preference }, { config }).vmi.spec };
}

describe('a preference', () => {
  it('has a case for every field', () => {
    const covered = [...Object.keys(CASES), ...Object.keys(ELSEWHERE)];
    expect(covered.sort()).toEqual(fieldsOf(VirtualMachinePreferenceSpec, 'io.kubevirt.instancetype.').sort());
  });

  it.each(Object.entries(CASES))('%s speaks where the VMI is silent', (_, { preference, silent = {}, becomes }) => {
    expect(applied(silent, preference).result).toMatchObject(becomes);
  });

  const decided = Object.entries(CASES).filter(([, { decided }]) => decided);
  it.each(decided)('%s is silent where the VMI speaks', (_, { preference, decided = {} }) => {
    const { spec, result } = applied(decided, preference);
    expect(result).toMatchObject(spec);
    expect(result.domain).toEqual(spec.domain);
  });

  it('has annotations for the VMI, and the VMI its own', () => {
    const { vmi } = applyInstancetype(
      { spec: { domain: { devices: {} } }, annotations: { a: 'mine' } },
      { preference: { annotations: { a: 'preferred', b: 'preferred' } } },
      { config },
    );
    expect(vmi.annotations).toEqual({ a: 'mine', b: 'preferred' });
  });

  it('changes nothing that it was given', () => {
    const spec = Object.freeze({ domain: Object.freeze({ devices: Object.freeze({}) }) });
    const preference = { devices: { preferredDiskBus: 'virtio' }, features: { preferredSmm: {} } };
    expect(() => applyInstancetype({ spec, annotations: {} }, { preference }, { config })).not.toThrow();
  });
});
