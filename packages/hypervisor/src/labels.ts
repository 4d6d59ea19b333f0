import type { HypervisorLabeller } from './contracts.ts';

/** What a node has found out about itself, mostly by asking libvirt. */
export interface HostCapabilities {
  readonly architecture: string;
  readonly machineTypes: readonly string[];
  /** Models that guests can be given. */
  readonly cpuModels: readonly string[];
  /** What host-model stands for on this node. */
  readonly hostModel?: string;
  readonly hostModelRequiredFeatures?: readonly string[];
  readonly cpuVendor?: string;
  readonly cpuFeatures: readonly string[];
  readonly hypervFeatures?: readonly string[];
  readonly tsc?: { readonly frequencyHz: number; readonly isScalable: boolean };
  readonly hasRealtimeKernel?: boolean;
  /** sev, sev-es, sev-snp, tdx, s390-pv: how guests can be protected from the host. */
  readonly protections?: readonly string[];
}

const NODE = 'node.kubevirt.io';

/** What runs VMIs on a node, where anything does. */
export const HYPERVISOR_LABEL = `hypervisor.${NODE}/name`;

/** On nodes whose own processor is an obsolete model: what follows it is worth little. */
export const OBSOLETE_HOST_MODEL_LABEL = 'node-labeller.kubevirt.io/obsolete-host-model';

/** Labels by which launchers choose nodes. Names that Kubernetes would refuse as labels are left out. */
export function nodeLabels(
  host: HostCapabilities,
  obsoleteModels: ReadonlySet<string> = new Set(),
): Record<string, string> {
  const models = host.cpuModels.filter((model) => !obsoleteModels.has(model));
  const flags = [
    ...withPrefix(`cpu-model.${NODE}`, models),
    ...withPrefix(`cpu-model-migration.${NODE}`, host.hostModel ? [...models, host.hostModel] : models),
    ...withPrefix(`cpu-feature.${NODE}`, host.cpuFeatures),
    ...withPrefix(`host-model-cpu.${NODE}`, host.hostModel ? [host.hostModel] : []),
    ...withPrefix(`host-model-required-features.${NODE}`, host.hostModelRequiredFeatures ?? []),
    ...withPrefix(`cpu-vendor.${NODE}`, host.cpuVendor ? [host.cpuVendor] : []),
    ...withPrefix(`machine-type.${NODE}`, host.machineTypes),
    ...withPrefix('kubevirt.io', host.protections ?? []),
    ...(host.hasRealtimeKernel ? ['kubevirt.io/realtime'] : []),
    ...(host.hostModel && obsoleteModels.has(host.hostModel) ? [OBSOLETE_HOST_MODEL_LABEL] : []),
  ];
  return {
    ...Object.fromEntries(flags.map((key) => [key, 'true'])),
    ...(host.tsc && {
      [`cpu-timer.${NODE}/tsc-frequency`]: String(host.tsc.frequencyHz),
      [`cpu-timer.${NODE}/tsc-scalable`]: String(host.tsc.isScalable),
    }),
  };
}

/** Whether a node says which CPU model guests have that see the host's. */
export const hasHostModelLabel = (labels: Readonly<Record<string, string>> = {}): boolean =>
  Object.keys(labels).some((label) => label.startsWith(`host-model-cpu.${NODE}/`));

/** Hyper-V's enlightenments that the host offers; only some hypervisors pass them on to guests. */
export const hypervLabels = ({ hypervFeatures = [] }: HostCapabilities): Record<string, string> =>
  Object.fromEntries(withPrefix(`hyperv.${NODE}`, hypervFeatures).map((key) => [key, 'true']));

/** Labels of a node that runs VMIs by this hypervisor: the common ones, its name and its own discoveries. */
export const hypervisorLabels = (
  hypervisor: string,
  labeller: HypervisorLabeller,
  host: HostCapabilities,
  obsoleteModels?: ReadonlySet<string>,
): Record<string, string> => ({
  ...nodeLabels(host, obsoleteModels),
  [HYPERVISOR_LABEL]: hypervisor,
  [`hypervisor.${NODE}/virt-type`]: labeller.preferredVirtType,
  ...labeller.discoverFeatures?.(host),
});

const LABEL_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

const withPrefix = (prefix: string, names: readonly string[]): string[] =>
  names.filter((name) => LABEL_NAME.test(name)).map((name) => `${prefix}/${name}`);

/** Prefixes of the labels above. */
const LABEL_PREFIXES: readonly string[] = [
  'cpu-model',
  'cpu-model-migration',
  'cpu-feature',
  'host-model-cpu',
  'host-model-required-features',
  'cpu-vendor',
  'machine-type',
  'hyperv',
  'cpu-timer',
  'hypervisor',
].map((name) => `${name}.${NODE}/`);

/** Labels above that stand alone. */
const LABELS: ReadonlySet<string> = new Set([
  ...['realtime', 'sev', 'sev-es', 'sev-snp', 'tdx', 's390-pv'].map((name) => `kubevirt.io/${name}`),
  OBSOLETE_HOST_MODEL_LABEL,
]);

/** Whether a label is one of those above: a node takes it back when it is no longer true. */
export const isHypervisorLabel = (label: string): boolean =>
  LABELS.has(label) || LABEL_PREFIXES.some((prefix) => label.startsWith(prefix));
