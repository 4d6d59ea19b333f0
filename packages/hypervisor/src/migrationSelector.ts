import type { Node, Pod } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { architectureOf } from './architecture.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import { resolveConverter } from './registries.ts';

/** A guest that is to leave its node. */
export interface LeavingGuest {
  readonly vmi: VirtualMachineInstance;
  /** The launcher that the guest is to leave, and its node. */
  readonly source: Pod;
  readonly sourceNode: Node | undefined;
  readonly config: ClusterConfig;
}

const NODE = 'node.kubevirt.io';

/** Labels that a node must have so that a guest which runs can come to it, besides those for a start. */
export const migrationSelector = (guest: LeavingGuest): Record<string, string> => ({
  ...cpuSelector(guest),
  ...machineSelector(guest),
});

/** The settings that a launcher was made with: the guest keeps them wherever it moves to, whatever the cluster's are now. */
export function launcherSettings({ spec }: Pod): Partial<Pick<ClusterConfig, 'hypervisor' | 'useEmulation'>> {
  const words = spec?.containers.find(({ name }) => name === 'compute')?.command ?? [];
  const hypervisor = words[words.indexOf('--hypervisor') + 1];
  if (!words.includes('--hypervisor') || !hypervisor) return {};
  return { hypervisor, useEmulation: words.includes('--allow-emulation') };
}

/** A guest keeps the version of its machine type, which is not in every QEMU: `q35` is another one on another host. */
function machineSelector({ vmi, sourceNode }: LeavingGuest): Record<string, string> {
  const label = `machine-type.${NODE}/${vmi.status?.machine?.type}`;
  // Nodes that do not say which versions they have cannot be told apart.
  return sourceNode?.metadata.labels?.[label] === undefined ? {} : { [label]: 'true' };
}

/** A guest that sees a host's processor keeps seeing it, wherever it moves to next. */
function cpuSelector({ vmi, source, sourceNode, config }: LeavingGuest): Record<string, string> {
  const architecture = architectureOf(vmi.spec, config);
  const { hypervisor, useEmulation } = { ...config, ...launcherSettings(source) };
  const { isAccelerated } = resolveConverter(hypervisor, useEmulation, architecture);
  if (!isAccelerated) return {};
  const { model } = vmi.spec.domain.cpu ?? {};
  const vendor = namesAfter(sourceNode?.metadata.labels, `cpu-vendor.${NODE}/`).map(
    (name) => `cpu-vendor.${NODE}/${name}`,
  );
  const host = !model || model === 'host-model' ? hostModelLabels(source, sourceNode) : [];
  return Object.fromEntries([...vendor, ...host].map((label) => [label, 'true']));
}

/** A guest that has migrated before sees the processor of the node that it was started on. */
function hostModelLabels({ spec }: Pod, node: Node | undefined): string[] {
  const before = Object.keys(spec?.nodeSelector ?? {}).filter((label) =>
    label.startsWith(`cpu-model-migration.${NODE}/`),
  );
  if (before.length > 0) {
    const features = Object.keys(spec?.nodeSelector ?? {}).filter((label) => label.startsWith(`cpu-feature.${NODE}/`));
    return [...before, ...features];
  }
  const labels = node?.metadata.labels;
  return [
    ...namesAfter(labels, `host-model-cpu.${NODE}/`).map((name) => `cpu-model-migration.${NODE}/${name}`),
    ...namesAfter(labels, `host-model-required-features.${NODE}/`).map((name) => `cpu-feature.${NODE}/${name}`),
  ];
}

const namesAfter = (labels: Readonly<Record<string, string>> | undefined, prefix: string): string[] =>
  Object.keys(labels ?? {}).flatMap((label) => (label.startsWith(prefix) ? [label.slice(prefix.length)] : []));
