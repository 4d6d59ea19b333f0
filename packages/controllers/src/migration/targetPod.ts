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
import { type ClusterConfig, launcherSettings, migrationSelector } from '@vireo/hypervisor';
import type { Draft } from '@vireo/kube';
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
        ...migrationSelector(context),
        ...spec?.nodeSelector,
      },
      affinity: awayFrom(vmi, spec?.affinity),
    },
  };
}

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
