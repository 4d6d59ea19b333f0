import { isConditionTrue, type Pod } from '@vireo/api';
import { parseDuration } from '@vireo/api/duration.ts';
import { isMigratable } from '@vireo/api/kinds/kubevirt/eviction.ts';
import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { HOT_CHANGES, needsOtherNode } from '@vireo/api/kinds/kubevirt/liveUpdate.ts';
import { isActive, isMigrating, isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isVolumeMigratable, migratedVolumes } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import { LAUNCHER_IMAGE } from '../vmi/launcherPod.ts';

/** Changes that a guest gets by a migration, as conditions of its VMI. */
const CHANGES = ['MigrationRequired', 'VolumesChange'];
/** On VMIs, of tests: the migration that brings them up to date is called off. */
const ABORT_ANNOTATION = 'kubevirt.io/testWorkloadUpdateMigrationAbortion';

/** Whether the guest was started by an older launcher than there is. */
export const isOutdated = ({ status }: Vmi): boolean =>
  Boolean(status?.launcherContainerImageVersion) && status?.launcherContainerImageVersion !== LAUNCHER_IMAGE;

/** CPUs and memory are changed where the guest is, unless there is no room for that. */
const hasChanges = (vmi: Vmi): boolean =>
  CHANGES.some((type) => isConditionTrue(vmi, type)) || HOT_CHANGES.some((change) => needsOtherNode(vmi, change));

/** Whether it was so, and has a launcher of today by now: a migration has brought it there. */
export const isUpdated = (vmi: Vmi, launcher: Pod | undefined): boolean =>
  isOutdated(vmi) && launcher?.spec?.containers[0]?.image === LAUNCHER_IMAGE;

/** Whether there is something that a migration would bring, whether or not it can be told now that the guest runs. */
export const isBehind = (vmi: Vmi): boolean => isOutdated(vmi) || hasChanges(vmi);

/** Whether a migration would bring the VMI up to date. */
export const needsUpdate = (vmi: Vmi): boolean => isRunning(vmi) && isActive(vmi) && isBehind(vmi);

/** The index of VMIs that are not up to date: one function, for informers are shared. */
export const OUTDATED_VMIS = { needsUpdate: (vmi: Vmi): string[] => (needsUpdate(vmi) ? ['true'] : []) };

/** How running guests are brought up to date. */
export interface UpdateStrategy {
  readonly migrates: boolean;
  readonly evicts: boolean;
  readonly batchSize: number;
  readonly batchIntervalMs: number;
}

const DEFAULT_BATCH_SIZE = 10;
const DEFAULT_BATCH_INTERVAL_MS = 60_000;

/** By default nothing is done. */
export function updateStrategyOf({ spec }: Pick<KubeVirt, 'spec'>): UpdateStrategy {
  const { workloadUpdateMethods = [], batchEvictionSize, batchEvictionInterval } = spec?.workloadUpdateStrategy ?? {};
  return {
    migrates: workloadUpdateMethods.includes('LiveMigrate'),
    evicts: workloadUpdateMethods.includes('Evict'),
    batchSize: batchEvictionSize ?? DEFAULT_BATCH_SIZE,
    batchIntervalMs: parseDuration(batchEvictionInterval ?? '') ?? DEFAULT_BATCH_INTERVAL_MS,
  };
}

/** Whether the installation is complete, so that what runs can be compared with it. */
export const isDeployed = ({ status = {} }: Pick<KubeVirt, 'status'>): boolean =>
  status.phase === 'Deployed' && status.observedKubeVirtVersion === status.targetKubeVirtVersion;

export interface UpdateState {
  /** The VMIs that are not up to date. */
  readonly outdated: readonly Vmi[];
  /** Whether a migration of the VMI has not ended. */
  readonly isUnderWay: (vmi: Vmi) => boolean;
  readonly strategy: UpdateStrategy;
  /** How many migrations may begin. */
  readonly freeMigrations: number;
  /** When guests were last evicted; 0 where they never were. */
  readonly lastEvictionMs: number;
  readonly nowMs: number;
}

export interface UpdateDecision {
  readonly migrations: readonly Vmi[];
  readonly evictions: readonly Vmi[];
  /** When the next batch of evictions is due, where some wait for it. */
  readonly nextBatchMs?: number;
}

/** Which guests are brought up to date now: by a migration where they can move, by a restart elsewhere where not. */
export function decideUpdates(state: UpdateState): UpdateDecision {
  const { outdated, isUnderWay, strategy, freeMigrations, lastEvictionMs, nowMs } = state;
  const waiting = outdated.filter((vmi) => !isUnderWay(vmi) && !isMigrating(vmi) && !isAbortedByTest(vmi));
  // Who wants volumes to move has asked for the migration.
  const movable = waiting.filter((vmi) => isVolumeMigratable(vmi) || (strategy.migrates && isMigratable(vmi)));
  const evictable = strategy.evicts ? waiting.filter((vmi) => !movable.includes(vmi) && !isChangingVolumes(vmi)) : [];
  const migrations = movable.slice(0, Math.max(0, freeMigrations));
  const dueMs = lastEvictionMs + strategy.batchIntervalMs;
  const evictions = lastEvictionMs === 0 || nowMs >= dueMs ? evictable.slice(0, strategy.batchSize) : [];
  const isFollowed = evictable.length > evictions.length;
  const nextBatchMs = evictions.length > 0 ? nowMs + strategy.batchIntervalMs : dueMs;
  return { migrations, evictions, ...(isFollowed && { nextBatchMs }) };
}

/** A restart would leave its volumes between two claims. */
const isChangingVolumes = (vmi: Vmi): boolean => migratedVolumes(vmi).length > 0;

/** Whether a migration that was to bring a VMI up to date is called off: the change was taken back in time. */
export function isAborted(vmi: Vmi, migrationUid: string): boolean {
  const { targetNodeDomainReadyTimestamp, completed, ...state } = vmi.status?.migrationState ?? {};
  const hasArrived = Boolean(targetNodeDomainReadyTimestamp) || completed === true;
  if (!isActive(vmi) || (state.migrationUid === migrationUid && hasArrived)) return false;
  return !isBehind(vmi) || isAbortedByTest(vmi);
}

const isAbortedByTest = ({ metadata }: Vmi): boolean => metadata.annotations?.[ABORT_ANNOTATION] !== undefined;
