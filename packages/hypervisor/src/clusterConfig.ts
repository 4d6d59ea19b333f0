import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import type { KubeVirtConfiguration } from '@vireo/api/kinds/kubevirt/kubeVirtConfiguration.ts';
import type { InterfaceBindingPlugin } from '@vireo/api/kinds/kubevirt/networkConfiguration.ts';
import { ARCHITECTURES, type Architecture, DEFAULT_MACHINE_TYPE, isArchitecture } from './architecture.ts';
import type { SmbiosText } from './convert/context.ts';
import { EVEN_PARITY_ANNOTATION } from './dedicatedCpus.ts';
import { enabledGates } from './featureGates.ts';
import { canonicalHypervisor, DEFAULT_HYPERVISOR } from './registries.ts';

/** The settings of the installation with KubeVirt's defaults filled in: what controllers and admission read. */
export interface ClusterConfig {
  /** Name of the hypervisor of new VMIs, one of those that are registered. */
  readonly hypervisor: string;
  /** The name that the settings ask for and nobody registered: while it is there, no new VMI starts. */
  readonly missingHypervisor?: string;
  readonly useEmulation: boolean;
  readonly gates: ReadonlySet<string>;
  readonly defaultArchitecture: Architecture;
  readonly architectures: Readonly<Record<Architecture, ArchitectureSettings>>;
  readonly cpuModel?: string;
  /** Only where the cluster says something other than KubeVirt's 100m. */
  readonly cpuRequest?: string | number;
  /** Virtual processors for each processor that is set aside. */
  readonly cpuAllocationRatio: number;
  readonly memoryOvercommitPercent: number;
  readonly additionalGuestMemoryOverheadRatio?: string;
  readonly evictionStrategy: string;
  readonly rolloutStrategy: 'LiveUpdate' | 'Stage';
  readonly liveUpdate: {
    readonly maxCpuSockets?: number;
    readonly maxGuest?: string | number;
    readonly maxHotplugRatio: number;
  };
  readonly nodeSelectors: Readonly<Record<string, string>>;
  readonly network: {
    readonly defaultInterface: 'bridge' | 'masquerade';
    readonly permitsBridgeOnPodNetwork: boolean;
    readonly bindings: Readonly<Record<string, InterfaceBindingPlugin>>;
  };
  /** Resources by which nodes offer devices to VMIs, or nothing where none is permitted. */
  readonly permittedDevices: readonly string[];
  readonly hasPersistentReservation: boolean;
  readonly smbios?: SmbiosText;
  readonly memBalloonStatsPeriodSeconds: number;
  readonly freePageReporting: boolean;
  readonly logsSerialConsole: boolean;
  readonly obsoleteCpuModels: ReadonlySet<string>;
  readonly vmisPerNode: number;
  /** Whether isolated emulators get a second CPU where that makes the number of a VMI's CPUs even. */
  readonly alignsCpus: boolean;
  /** The settings as written, for what is not above. */
  readonly configuration: KubeVirtConfiguration;
}

export interface ArchitectureSettings {
  readonly machineType: string;
  /** Machine types that are allowed; `*` stands for anything. */
  readonly emulatedMachines: readonly string[];
  readonly ovmfPath?: string;
}

const EMULATED_MACHINES: Readonly<Record<Architecture, readonly string[]>> = {
  amd64: ['q35*', 'pc-q35*'],
  arm64: ['virt*'],
  s390x: ['s390-ccw-virtio*'],
};

const OBSOLETE_CPU_MODELS = [
  '486',
  '486-v1',
  'pentium',
  'pentium2',
  'pentium3',
  'pentiumpro',
  'coreduo',
  'n270',
  'core2duo',
  'Conroe',
  'athlon',
  'phenom',
  'qemu64',
  'qemu32',
  'kvm64',
  'kvm32',
  'Opteron_G1',
  'Opteron_G2',
];

/** Without it, the cluster's choice of a hypervisor is not looked at. */
export const HYPERVISOR_GATE = 'ConfigurableHypervisor';

/** KubeVirt's own value counts as silence: nothing is written into VMIs for it. */
const DEFAULT_CPU_REQUEST = '100m';

/** Reads the KubeVirt object; without one, the settings of a fresh installation. `host` is the architecture we run on. */
export function clusterConfig(kubevirt: KubeVirt | undefined, host: Architecture = 'amd64'): ClusterConfig {
  const configuration = kubevirt?.spec?.configuration ?? {};
  const developer = configuration.developerConfiguration ?? {};
  const gates = enabledGates(developer.featureGates ?? [], developer.disabledFeatureGates ?? []);
  const named =
    configuration.architectureConfiguration?.defaultArchitecture || kubevirt?.status?.defaultArchitecture || '';
  const obsolete = configuration.obsoleteCPUModels;
  return {
    ...chosenHypervisor(configuration, gates),
    useEmulation: developer.useEmulation ?? false,
    gates,
    defaultArchitecture: isArchitecture(named) ? named : host,
    architectures: architectureSettings(configuration),
    cpuModel: configuration.cpuModel || undefined,
    cpuRequest: configuration.cpuRequest === DEFAULT_CPU_REQUEST ? undefined : configuration.cpuRequest,
    cpuAllocationRatio: developer.cpuAllocationRatio || 10,
    memoryOvercommitPercent: developer.memoryOvercommit || 100,
    additionalGuestMemoryOverheadRatio: configuration.additionalGuestMemoryOverheadRatio,
    evictionStrategy: configuration.evictionStrategy ?? 'None',
    rolloutStrategy: configuration.vmRolloutStrategy ?? 'LiveUpdate',
    liveUpdate: {
      maxCpuSockets: configuration.liveUpdateConfiguration?.maxCpuSockets,
      maxGuest: configuration.liveUpdateConfiguration?.maxGuest,
      maxHotplugRatio: configuration.liveUpdateConfiguration?.maxHotplugRatio || 4,
    },
    nodeSelectors: developer.nodeSelectors ?? {},
    network: {
      defaultInterface: configuration.network?.defaultNetworkInterface === 'masquerade' ? 'masquerade' : 'bridge',
      permitsBridgeOnPodNetwork: configuration.network?.permitBridgeInterfaceOnPodNetwork ?? true,
      bindings: configuration.network?.binding ?? {},
    },
    permittedDevices: permittedDevices(configuration),
    hasPersistentReservation:
      configuration.persistentReservationConfiguration?.enabled ?? gates.has('PersistentReservation'),
    smbios: configuration.smbios,
    memBalloonStatsPeriodSeconds: configuration.memBalloonStatsPeriod ?? 10,
    freePageReporting: configuration.virtualMachineOptions?.disableFreePageReporting === undefined,
    logsSerialConsole: configuration.virtualMachineOptions?.disableSerialConsoleLog === undefined,
    obsoleteCpuModels: new Set(
      obsolete ? Object.keys(obsolete).filter((model) => obsolete[model]) : OBSOLETE_CPU_MODELS,
    ),
    vmisPerNode: configuration.virtualMachineInstancesPerNode ?? 1000,
    alignsCpus: gates.has('AlignCPUs') && kubevirt?.metadata?.annotations?.[EVEN_PARITY_ANNOTATION] !== undefined,
    configuration,
  };
}

/** The old places of machineType and emulatedMachines speak for amd64. */
function architectureSettings(configuration: KubeVirtConfiguration): Record<Architecture, ArchitectureSettings> {
  const old = {
    machineType: configuration.machineType,
    emulatedMachines: configuration.emulatedMachines,
    ovmfPath: configuration.ovmfPath,
  };
  const settings = ARCHITECTURES.map((architecture) => {
    const given = configuration.architectureConfiguration?.[architecture] ?? {};
    const before: Partial<typeof old> = architecture === 'amd64' ? old : {};
    return [
      architecture,
      {
        machineType: given.machineType || before.machineType || DEFAULT_MACHINE_TYPE[architecture],
        emulatedMachines: given.emulatedMachines ?? before.emulatedMachines ?? EMULATED_MACHINES[architecture],
        ovmfPath: given.ovmfPath || before.ovmfPath,
      },
    ] as const;
  });
  return Object.fromEntries(settings) as Record<Architecture, ArchitectureSettings>;
}

function permittedDevices({ permittedHostDevices }: KubeVirtConfiguration): string[] {
  const { pciHostDevices = [], mediatedDevices = [], usb = [] } = permittedHostDevices ?? {};
  return [...pciHostDevices, ...mediatedDevices, ...usb].map(({ resourceName }) => resourceName);
}

/** What is asked for, by the name of the one that runs it; kvm's rules hold where the gate is closed or nobody registered the name. */
function chosenHypervisor(
  configuration: KubeVirtConfiguration,
  gates: ReadonlySet<string>,
): Pick<ClusterConfig, 'hypervisor' | 'missingHypervisor'> {
  const asked = gates.has(HYPERVISOR_GATE) ? configuredHypervisors(configuration)[0]?.name : undefined;
  const hypervisor = asked === undefined ? DEFAULT_HYPERVISOR : canonicalHypervisor(asked);
  return hypervisor === undefined ? { hypervisor: DEFAULT_HYPERVISOR, missingHypervisor: asked! } : { hypervisor };
}

/** Why no new VMI starts, if the cluster asks for a hypervisor that is not there. */
export const missingHypervisorText = ({ missingHypervisor: name }: ClusterConfig): string | undefined =>
  name === undefined
    ? undefined
    : `the cluster is configured for the hypervisor ${JSON.stringify(name)}, which is not loaded; \`vireo hypervisors\` shows why`;

/** Every name that the settings give a hypervisor, in order of precedence, with the field that it stands in. */
export const configuredHypervisors = ({
  hypervisorConfiguration,
  hypervisors = [],
}: KubeVirtConfiguration): { readonly field: string; readonly name: string }[] =>
  [
    { field: 'spec.configuration.hypervisorConfiguration.name', name: hypervisorConfiguration?.name },
    ...hypervisors.map(({ name }, index) => ({ field: `spec.configuration.hypervisors[${index}].name`, name })),
  ].flatMap(({ field, name }) => (name ? [{ field, name }] : []));
