import type { FeatureHyperv } from '@vireo/api/kinds/kubevirt/features.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { architectureOf, isArchitecture } from './architecture.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import { HYPERVISOR_LABEL, OBSOLETE_HOST_MODEL_LABEL } from './labels.ts';
import { hypervisorOf, resolveConverter } from './registries.ts';

/** Labels that a node must have to run the VMI. What the user or the cluster asks for comes last, and wins. */
export function launcherNodeSelector(vmi: VirtualMachineInstance, config: ClusterConfig): Record<string, string> {
  const { spec, status } = vmi;
  const { domain } = spec;
  const architecture = architectureOf(spec, config);
  const machine =
    domain.machine?.type || (isArchitecture(architecture) && config.architectures[architecture].machineType);
  const flags = [
    ...cpuLabels(vmi),
    machine && `machine-type.node.kubevirt.io/${machine}`,
    domain.cpu?.dedicatedCpuPlacement && 'kubevirt.io/cpumanager',
    domain.cpu?.realtime && 'kubevirt.io/realtime',
    ...protectionLabels(vmi),
    ...(config.gates.has('HypervStrictCheck') ? hypervLabels(domain.features?.hyperv ?? {}) : []),
  ].filter((label): label is string => typeof label === 'string');
  const frequency = status?.topologyHints?.tscFrequency;
  return {
    'kubevirt.io/schedulable': 'true',
    'kubernetes.io/arch': architecture,
    // A node that cannot run the hypervisor does not carry its name.
    [HYPERVISOR_LABEL]: hypervisorOf(config),
    ...Object.fromEntries(flags.map((label) => [label, 'true'])),
    ...(frequency !== undefined && { 'cpu-timer.node.kubevirt.io/tsc-frequency': String(frequency) }),
    ...config.nodeSelectors,
    ...spec.nodeSelector,
  };
}

/** Labels that a node must not have: of an obsolete processor where the guest sees the host's, and of forbidden features. */
export function rejectedNodeLabels({ spec }: VirtualMachineInstance, config: ClusterConfig): string[] {
  const { model, features = [] } = spec.domain.cpu ?? {};
  const { isAccelerated } = resolveConverter(config.hypervisor, config.useEmulation, architectureOf(spec, config));
  return [
    ...(isAccelerated && (!model || model === 'host-model') ? [OBSOLETE_HOST_MODEL_LABEL] : []),
    ...features.filter(({ policy }) => policy === 'forbid').map(({ name }) => `cpu-feature.node.kubevirt.io/${name}`),
  ];
}

/** Host models run everywhere; a named model and required features only where the node says so. */
function cpuLabels({ spec }: VirtualMachineInstance): string[] {
  const { model, features = [] } = spec.domain.cpu ?? {};
  const isNamed = model && model !== 'host-model' && model !== 'host-passthrough';
  return [
    ...(isNamed ? [`cpu-model.node.kubevirt.io/${model}`] : []),
    ...features
      .filter(({ policy }) => !policy || policy === 'require')
      .map(({ name }) => `cpu-feature.node.kubevirt.io/${name}`),
  ];
}

function protectionLabels({ spec }: VirtualMachineInstance): string[] {
  const { sev, snp, tdx } = spec.domain.launchSecurity ?? {};
  return [
    ...(sev ? [sev.policy?.encryptedState ? 'kubevirt.io/sev-es' : 'kubevirt.io/sev'] : []),
    ...(snp ? ['kubevirt.io/sev-snp'] : []),
    ...(tdx ? ['kubevirt.io/tdx'] : []),
  ];
}

/** Enlightenments that not every kernel offers, by libvirt's names. */
const HYPERV_LABELS = {
  vpindex: 'vpindex',
  runtime: 'runtime',
  reset: 'reset',
  synic: 'synic',
  synictimer: 'synictimer',
  frequencies: 'frequencies',
  reenlightenment: 'reenlightenment',
  tlbflush: 'tlbflush',
  ipi: 'ipi',
} as const;

const hypervLabels = (hyperv: FeatureHyperv): string[] =>
  Object.entries(HYPERV_LABELS)
    .filter(([field]) => {
      const state = hyperv[field as keyof typeof HYPERV_LABELS];
      return state !== undefined && state.enabled !== false;
    })
    .map(([, name]) => `hyperv.node.kubevirt.io/${name}`)
    // Enlightened VMCS are about Intel's.
    .concat(hyperv.evmcs && hyperv.evmcs.enabled !== false ? ['cpu-vendor.node.kubevirt.io/Intel'] : []);
