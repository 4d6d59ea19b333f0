import type { VirtualMachinePreferenceSpec } from '@vireo/api/kinds/instancetype/preferenceSpec.ts';
import { VirtualMachineClusterPreference } from '@vireo/api/kinds/instancetype/virtualMachinePreference.ts';

type Spec = VirtualMachinePreferenceSpec;

interface Guest {
  readonly title: string;
  readonly os: 'linux' | 'windows';
  readonly spec: Spec;
}

const requirements = (cpu: number, memory: string): Spec['requirements'] => ({
  cpu: { guest: cpu },
  memory: { guest: memory },
});

/** Linux has the drivers of virtio everywhere. */
const LINUX: Spec = {
  devices: { preferredDiskBus: 'virtio', preferredInterfaceModel: 'virtio', preferredRng: {} },
};

const linux = (title: string, cpu: number, memory: string, more: Spec = {}): Guest => ({
  title,
  os: 'linux',
  spec: { ...LINUX, ...more, requirements: requirements(cpu, memory) },
});

/** Windows keeps time by Hyper-V's clock, runs best with its enlightenments, and finds an absolute pointer of use. */
const WINDOWS: Spec = {
  clock: {
    preferredClockOffset: { utc: {} },
    preferredTimer: {
      hpet: { present: false },
      hyperv: {},
      pit: { tickPolicy: 'delay' },
      rtc: { tickPolicy: 'catchup' },
    },
  },
  features: {
    preferredAcpi: {},
    preferredApic: {},
    preferredHyperv: {
      frequencies: {},
      ipi: {},
      reenlightenment: {},
      relaxed: {},
      reset: {},
      runtime: {},
      spinlocks: { spinlocks: 8191 },
      synic: {},
      synictimer: { direct: {} },
      tlbflush: {},
      vapic: {},
      vpindex: {},
    },
    preferredSmm: {},
  },
  preferredTerminationGracePeriodSeconds: 3600,
};

/** What Windows has drivers for by itself, and what it has once those of virtio are installed. */
const BUILT_IN = { preferredDiskBus: 'sata', preferredInterfaceModel: 'e1000e' };
const VIRTIO = { preferredDiskBus: 'virtio', preferredInterfaceModel: 'virtio' };

interface Windows {
  readonly title: string;
  readonly memory: string;
  readonly cpus: number;
  /** Editions for desktops use no more than two sockets, however many there are. */
  readonly topology: 'cores' | 'sockets';
  /** Starts only with UEFI, Secure Boot and a TPM. */
  readonly isGuarded?: true;
}

const WINDOWS_VERSIONS: Readonly<Record<string, Windows>> = {
  'windows.10': { title: 'Microsoft Windows 10', cpus: 1, memory: '2Gi', topology: 'cores' },
  'windows.11': { title: 'Microsoft Windows 11', cpus: 2, memory: '4Gi', topology: 'cores', isGuarded: true },
  'windows.2k22': { title: 'Microsoft Windows Server 2022', cpus: 1, memory: '2Gi', topology: 'sockets' },
};

function windows({ title, cpus, memory, topology, isGuarded }: Windows, drivers: typeof BUILT_IN): Guest {
  return {
    title,
    os: 'windows',
    spec: {
      ...WINDOWS,
      cpu: { preferredCPUTopology: topology },
      devices: {
        ...drivers,
        preferredAutoattachInputDevice: true,
        preferredInputBus: 'usb',
        preferredInputType: 'tablet',
        ...(isGuarded && { preferredTPM: { persistent: true } }),
      },
      ...(isGuarded && { firmware: { preferredEfi: { persistent: true, secureBoot: true } } }),
      requirements: requirements(cpus, memory),
    },
  };
}

const GUESTS: Readonly<Record<string, Guest>> = {
  linux: linux('Linux', 1, '512Mi'),
  'linux.efi': linux('Linux (UEFI)', 1, '512Mi', { firmware: { preferredEfi: { secureBoot: false } } }),
  alpine: linux('Alpine Linux', 1, '512Mi'),
  'centos.stream9': linux('CentOS Stream 9', 1, '1536Mi'),
  cirros: linux('CirrOS', 1, '256Mi'),
  debian: linux('Debian', 1, '512Mi'),
  fedora: linux('Fedora', 1, '2Gi'),
  'rhel.9': linux('Red Hat Enterprise Linux 9', 1, '1536Mi'),
  ubuntu: linux('Ubuntu', 1, '1Gi'),
  ...Object.fromEntries(
    Object.entries(WINDOWS_VERSIONS).flatMap(([name, version]) => [
      [name, windows(version, BUILT_IN)],
      [`${name}.virtio`, windows({ ...version, title: `${version.title} (virtio)` }, VIRTIO)],
    ]),
  ),
};

/** The preferences that every installation has. */
export const clusterPreferences = (): VirtualMachineClusterPreference[] =>
  Object.entries(GUESTS).map(([name, { title, os, spec }]) => ({
    apiVersion: `${VirtualMachineClusterPreference.group}/${VirtualMachineClusterPreference.version}`,
    kind: VirtualMachineClusterPreference.kind,
    metadata: {
      name,
      annotations: { 'openshift.io/display-name': title },
      labels: {
        'instancetype.kubevirt.io/vendor': 'kubevirt.io',
        'instancetype.kubevirt.io/os-type': os,
      },
    },
    spec,
  }));
