import type { Node, Persisted, Pod } from '@vireo/api';
import {
  MIGRATION_JOB_LABEL,
  MIGRATION_JOB_NAME_ANNOTATION,
  MIGRATION_TARGET_READY_ANNOTATION,
  type Migration,
  TARGET_IMAGE_ANNOTATION,
} from '@vireo/api/kinds/kubevirt/migration.ts';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { architectureOf, type ClusterConfig, resolveConverter } from '@vireo/hypervisor';
import type { Draft } from '@vireo/kube';
import { launcherSettings } from '../vmi/launcherCommand.ts';
import { launcherName } from '../vmi/launcherName.ts';
import { launcherPod } from '../vmi/launcherPod.ts';

/** What a target pod is made from. */
export interface TargetPodContext {
  readonly vmi: Vmi;
  readonly migration: Migration;
  /** The launcher that the guest is to leave, and its node. */
  readonly source: Persisted<Pod>;
  readonly sourceNode: Node | undefined;
  readonly config: ClusterConfig;
  readonly backendStorageClaim?: string | undefined;
  readonly allocatable?: ReadonlySet<string> | undefined;
}

const NODE = 'node.kubevirt.io';

/** The launcher that a guest moves to: as if it was started anew, on any other node that has what the guest has seen. */
export function targetPod(context: TargetPodContext): Draft<Pod> {
  const { vmi, migration, source, config, backendStorageClaim, allocatable } = context;
  const settings = { ...config, ...launcherSettings(source) };
  const draft = launcherPod(vmi, settings, backendStorageClaim, allocatable);
  const { metadata, spec } = draft;
  const { [MIGRATION_TARGET_READY_ANNOTATION]: _, ...annotations } = metadata.annotations ?? {};
  const image = migration.metadata.annotations?.[TARGET_IMAGE_ANNOTATION];
  return {
    ...draft,
    metadata: {
      ...metadata,
      name: launcherName(vmi, migration.metadata.uid),
      labels: { ...metadata.labels, [MIGRATION_JOB_LABEL]: migration.metadata.uid },
      annotations: {
        ...annotations,
        [MIGRATION_JOB_NAME_ANNOTATION]: migration.metadata.name,
        ...(image && { [TARGET_IMAGE_ANNOTATION]: image }),
      },
    },
    spec: {
      ...spec,
      containers: (spec?.containers ?? []).map((container) => (image ? { ...container, image } : container)),
      // Whoever asks for a migration can narrow the choice of nodes, and not widen it.
      nodeSelector: {
        ...migration.spec.addedNodeSelector,
        ...cpuSelector(context, settings),
        ...machineSelector(context),
        ...spec?.nodeSelector,
      },
      affinity: awayFrom(vmi, spec?.affinity),
    },
  };
}

/** A guest keeps the version of its machine type, which is not in every QEMU: `q35` is another one on another host. */
function machineSelector({ vmi, sourceNode }: TargetPodContext): Record<string, string> {
  const label = `machine-type.${NODE}/${vmi.status?.machine?.type}`;
  // Nodes that do not say which versions they have cannot be told apart.
  return sourceNode?.metadata.labels?.[label] === undefined ? {} : { [label]: 'true' };
}

/** A guest that sees a host's processor keeps seeing it, wherever it moves to next. */
function cpuSelector({ vmi, source, sourceNode }: TargetPodContext, config: ClusterConfig): Record<string, string> {
  const architecture = architectureOf(vmi.spec, config);
  const { isAccelerated } = resolveConverter(config.hypervisor, config.useEmulation, architecture);
  if (!isAccelerated) return {};
  const { model } = vmi.spec.domain.cpu ?? {};
  const vendor = namesAfter(sourceNode?.metadata.labels, `cpu-vendor.${NODE}/`).map(
    (name) => `cpu-vendor.${NODE}/${name}`,
  );
  const host = !model || model === 'host-model' ? hostModelLabels(source, sourceNode) : [];
  return Object.fromEntries([...vendor, ...host].map((label) => [label, 'true']));
}

/** A guest that has migrated before sees the processor of the node that it was started on. */
function hostModelLabels({ spec }: Persisted<Pod>, node: Node | undefined): string[] {
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

type Affinity = NonNullable<Pod['spec']>['affinity'];

function awayFrom({ metadata }: Vmi, affinity: Affinity): NonNullable<Affinity> {
  const { podAntiAffinity } = affinity ?? {};
  const term = {
    labelSelector: { matchLabels: { [CREATED_BY_LABEL]: metadata.uid } },
    topologyKey: 'kubernetes.io/hostname',
  };
  return {
    ...affinity,
    podAntiAffinity: {
      ...podAntiAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: [
        ...(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
        term,
      ],
    },
  };
}
