/** What a feature gate does, for those that people ask about. */
const KNOWN: Readonly<Record<string, string>> = {
  ConfigurableHypervisor: 'Lets the cluster use another hypervisor than KVM.',
  DeclarativeHotplugVolumes: 'Volumes that are added to or taken from a VM reach the running guest.',
  DownwardMetrics: 'Guests can read metrics of their node.',
  ExperimentalIgnitionSupport: 'Ignition data in an annotation sets a guest up.',
  HostDevices: 'Guests can use devices of their node.',
  HostDisk: 'Guests can use files of their node as disks, which gives them access to the host.',
  HotplugVolumes: 'The older way to add volumes to running guests.',
  HypervStrictCheck: 'Guests with Hyper-V features run only on nodes that have them.',
  MigrationStallDetection: 'Migration policies can limit for how long a guest stands still.',
  NUMA: 'Guests can have the NUMA topology of their node.',
  ObjectGraph: 'Serves what a machine depends on.',
  RebootPolicy: 'Machines say what a reboot of their guest does.',
  ReservedOverheadMemlock: 'Machines say how much memory they may lock.',
  Root: 'Guests run as root, and so are not kept apart from the host.',
  SecureExecution: 'Protected guests on s390x.',
  Sidecar: 'Hooks change the domain of a guest.',
  Snapshot: 'Snapshots of machines.',
  VMExport: 'Machines and disks can be downloaded.',
  VSOCK: 'Guests and their host can talk over vsock.',
  WorkloadEncryptionSEV: 'Guests with encrypted memory on AMD processors.',
};

export interface Gate {
  readonly name: string;
  readonly text: string;
  readonly setting: 'enabled' | 'disabled' | 'default';
}

/** Gates that are set first, then those that are known, by name. */
export function gatesOf(configuration: unknown): Gate[] {
  const { featureGates, disabledFeatureGates } = developerOf(configuration);
  const names = new Set([...featureGates, ...disabledFeatureGates, ...Object.keys(KNOWN)]);
  return [...names]
    .map((name) => ({
      name,
      text: KNOWN[name] ?? 'Not known to this page.',
      setting: featureGates.includes(name)
        ? ('enabled' as const)
        : disabledFeatureGates.includes(name)
          ? ('disabled' as const)
          : ('default' as const),
    }))
    .sort((a, b) => Number(a.setting === 'default') - Number(b.setting === 'default') || (a.name < b.name ? -1 : 1));
}

/** Both lists as they should be after a gate was set. */
export function withGate(configuration: unknown, name: string, setting: Gate['setting']): Record<Lists, string[]> {
  const { featureGates, disabledFeatureGates } = developerOf(configuration);
  const without = (names: readonly string[]): string[] => names.filter((each) => each !== name);
  return {
    featureGates: [...without(featureGates), ...(setting === 'enabled' ? [name] : [])],
    disabledFeatureGates: [...without(disabledFeatureGates), ...(setting === 'disabled' ? [name] : [])],
  };
}

type Lists = 'featureGates' | 'disabledFeatureGates';

function developerOf(configuration: unknown): Record<Lists, readonly string[]> {
  const { developerConfiguration: found } = (configuration ?? {}) as {
    developerConfiguration?: Partial<Record<Lists, readonly string[]>>;
  };
  return { featureGates: found?.featureGates ?? [], disabledFeatureGates: found?.disabledFeatureGates ?? [] };
}
