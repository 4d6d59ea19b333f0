import { mergePatchBetween, type Persisted, type Pod } from '@vireo/api';
import { MIGRATION_STATE, MIGRATION_TARGET_NODE, MIGRATION_UID } from '@vireo/api/kinds/harvester/names.ts';
import { STATE_VOLUME } from '@vireo/api/kinds/kubevirt/backendStorage.ts';
import {
  MIGRATION_PROGRESS_ANNOTATION,
  MIGRATION_TARGET_NODE_LABEL,
  type Migration,
} from '@vireo/api/kinds/kubevirt/migration.ts';
import type { VMIMConfigurationOptions } from '@vireo/api/kinds/kubevirt/migrationConfiguration.ts';
import { MEMORY_OVERHEAD_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import { isActive, isRunning, type Vmi, type VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { MergePatch } from '@vireo/kube';
import { isPrepared } from '../vmi/launcher.ts';

/** What the nodes are told of a migration. */
export interface Handoff {
  readonly vmi: Vmi;
  readonly migration: Migration;
  readonly source: Persisted<Pod>;
  readonly target: Persisted<Pod>;
  readonly attachmentUid?: string | undefined;
  readonly policyName?: string | undefined;
  readonly configuration: VMIMConfigurationOptions;
}

/** Whether the guest is where its launcher is, and the other pod waits for it on another node. */
export const canHandOff = (vmi: Vmi, source: Persisted<Pod> | undefined, target: Persisted<Pod>): boolean =>
  isRunning(vmi) &&
  isActive(vmi) &&
  source !== undefined &&
  source.spec?.nodeName === vmi.status?.nodeName &&
  isPrepared(target) &&
  target.spec?.nodeName !== undefined &&
  target.spec.nodeName !== vmi.status?.nodeName;

/** Where a launcher has what the guest's firmware remembers; undefined where it remembers nothing. */
const stateClaim = ({ spec }: Persisted<Pod>): string | undefined =>
  spec?.volumes?.find(({ name }) => name === STATE_VOLUME)?.persistentVolumeClaim?.claimName;

/** What is said alike of both sides. */
function sideOf(pod: Persisted<Pod>, { vmi: { metadata, status }, migration }: Handoff) {
  const claim = stateClaim(pod);
  return {
    node: pod.spec?.nodeName,
    pod: pod.metadata.name,
    migrationUID: migration.metadata.uid,
    domainName: metadata.name,
    domainNamespace: metadata.namespace,
    virtualMachineInstanceUID: metadata.uid,
    ...(status?.selinuxContext !== undefined && { selinuxContext: status.selinuxContext }),
    ...(claim !== undefined && { persistentStatePVCName: claim }),
  };
}

/** Hands a migration over to its nodes. Of the migration before nothing stays. */
export function handoffPatch(handoff: Handoff): MergePatch {
  const { vmi, migration, source, target, attachmentUid, policyName, configuration } = handoff;
  const [from, to] = [stateClaim(source), stateClaim(target)];
  const overhead = target.metadata.annotations?.[MEMORY_OVERHEAD_ANNOTATION];
  const state: NonNullable<VmiStatus['migrationState']> = {
    migrationUid: migration.metadata.uid,
    sourceNode: source.spec?.nodeName,
    targetNode: target.spec?.nodeName,
    sourcePod: source.metadata.name,
    targetPod: target.metadata.name,
    migrationConfiguration: configuration,
    ...(overhead !== undefined && { targetMemoryOverhead: overhead }),
    ...(policyName !== undefined && { migrationPolicyName: policyName }),
    ...(attachmentUid !== undefined && { targetAttachmentPodUID: attachmentUid }),
    ...(from && to && { sourcePersistentStatePVCName: from, targetPersistentStatePVCName: to }),
    sourceState: { ...sideOf(source, handoff), nodeSelectors: target.spec?.nodeSelector },
    targetState: {
      ...sideOf(target, handoff),
      ...(attachmentUid !== undefined && { attachmentPodUID: attachmentUid }),
    },
  };
  return {
    metadata: {
      labels: { [MIGRATION_TARGET_NODE_LABEL]: target.spec?.nodeName ?? '' },
      // By these Harvester's clients know that it moves.
      annotations: {
        ...harvesterMarks(migration, 'Migrating'),
        [MIGRATION_PROGRESS_ANNOTATION]: null,
      },
    },
    status: { migrationState: mergePatchBetween(vmi.status?.migrationState ?? {}, state) ?? {} },
  };
}

/** What a VMI tells Harvester's clients of its migration: also the node that its user has chosen, if one was. */
export const harvesterMarks = ({ metadata }: Migration, state: string): Readonly<Record<string, string | null>> => ({
  [MIGRATION_STATE]: state,
  [MIGRATION_UID]: metadata.uid,
  [MIGRATION_TARGET_NODE]: metadata.annotations?.[MIGRATION_TARGET_NODE] ?? null,
});
