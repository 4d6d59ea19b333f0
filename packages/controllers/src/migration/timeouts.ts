import { type ConditionDraft, conditionOf, type Persisted, type Pod } from '@vireo/api';
import { EVACUATION_ANNOTATION } from '@vireo/api/kinds/kubevirt/eviction.ts';
import { type Migration, WORKLOAD_UPDATE_MIGRATION_ANNOTATION } from '@vireo/api/kinds/kubevirt/migration.ts';

/** What a migration says while it waits for a memory dump. */
export const UTILITY_VOLUMES_CONDITION = 'migrationBlockedByUtilityVolumes';

const UNSCHEDULABLE_SECONDS = 300;
const PENDING_SECONDS = 900;
const UTILITY_VOLUMES_SECONDS = 150;
const BACK_OFF_SECONDS = 20;

const UNSCHEDULABLE_ANNOTATION = 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds';
const PENDING_ANNOTATION = 'kubevirt.io/migrationPendingPodTimeoutSeconds';
const UTILITY_VOLUMES_ANNOTATION = 'kubevirt.io/migrationUtilityVolumesTimeoutSeconds';
const NO_BACK_OFF_ANNOTATION = 'kubevirt.io/func-test-ignore-migration-backoff';

/** Whether no node takes the pod. */
export const isUnschedulable = (pod: Persisted<Pod>): boolean => {
  const scheduled = conditionOf(pod, 'PodScheduled');
  return scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
};

/** How long a target pod that does not get ready may stay, and what is said when it does not. */
export function podTimeout(migration: Migration, pod: Persisted<Pod>, nowMs: number) {
  const isNowhere = isUnschedulable(pod);
  const seconds = isNowhere
    ? secondsOf(migration, UNSCHEDULABLE_ANNOTATION, UNSCHEDULABLE_SECONDS)
    : secondsOf(migration, PENDING_ANNOTATION, PENDING_SECONDS);
  const { name, namespace, creationTimestamp } = pod.metadata;
  return {
    remainingMs: Date.parse(creationTimestamp) + seconds * 1000 - nowMs,
    message: `${isNowhere ? 'unschedulable' : 'pending'} pod ${namespace}/${name} timeout period exceeded`,
  };
}

/** How long the nodes may take to begin with a migration that was handed over to them. */
export function preparationTimeout({ metadata, status }: Migration, nowMs: number) {
  const since = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'PreparingTarget');
  const beganMs = Date.parse(since?.phaseTransitionTimestamp ?? '');
  if (Number.isNaN(beganMs)) return undefined;
  const seconds = secondsOf({ metadata } as Migration, PENDING_ANNOTATION, PENDING_SECONDS);
  return {
    remainingMs: beganMs + seconds * 1000 - nowMs,
    reason: `the nodes did not begin with the migration within ${seconds} seconds`,
  };
}

/** How long a migration waits for volumes that a memory dump is written to. Other things are waited for without end. */
export function blockedTimeout(migration: Migration, blocked: ConditionDraft, clusterSeconds: unknown, nowMs: number) {
  if (blocked.type !== UTILITY_VOLUMES_CONDITION) return undefined;
  const before = conditionOf(migration, UTILITY_VOLUMES_CONDITION);
  const sinceMs = before?.status === 'True' ? Date.parse(before.lastTransitionTime ?? '') : nowMs;
  const otherwise = clusterSeconds === undefined ? UTILITY_VOLUMES_SECONDS : Number(clusterSeconds);
  const seconds = secondsOf(migration, UTILITY_VOLUMES_ANNOTATION, otherwise);
  return {
    remainingMs: sinceMs + seconds * 1000 - nowMs,
    message: `timed out after ${seconds} seconds: ${blocked.message}`,
  };
}

function secondsOf({ metadata }: Migration, annotation: string, otherwise: number): number {
  const text = metadata.annotations?.[annotation] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
}

/**
 * How long a migration that nobody asked for by hand waits after others of the VMI have failed: 20 seconds, and twice as
 * long for each failure since the last success. `ended`: the others, in any order.
 */
export function backOffMs({ metadata }: Migration, ended: readonly Migration[], nowMs: number): number {
  const { annotations = {} } = metadata;
  const isAutomatic = [EVACUATION_ANNOTATION, WORKLOAD_UPDATE_MIGRATION_ANNOTATION].some((each) => each in annotations);
  if (!isAutomatic || NO_BACK_OFF_ANNOTATION in annotations) return 0;
  const newestFirst = [...ended].sort((a, b) => endedAtMs(b) - endedAtMs(a));
  const succeeded = newestFirst.findIndex(({ status }) => status?.phase === 'Succeeded');
  const failed = succeeded < 0 ? newestFirst : newestFirst.slice(0, succeeded);
  const [last] = failed;
  if (!last) return 0;
  return Math.max(0, endedAtMs(last) + BACK_OFF_SECONDS * 1000 * 2 ** (failed.length - 1) - nowMs);
}

function endedAtMs({ metadata, status }: Migration): number {
  const times = status?.phaseTransitionTimestamps ?? [];
  const end = times.find(({ phase }) => phase === status?.phase)?.phaseTransitionTimestamp;
  return Date.parse(end ?? metadata.creationTimestamp);
}
