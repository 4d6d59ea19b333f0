import { conditionOf, isConditionTrue, isDeleting } from '@vireo/api';
import { isUnknown } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { hasEverRun, isFinal, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

/**
 * What a VMI counts as for its set.
 *
 * - `deleting`: it may still be shutting down; its replacement does not wait for the end.
 * - `finished`: it has succeeded or failed, or its launcher pod is terminating; it is replaced and deleted.
 * - `unknown`: its node is unreachable; it counts as active for as long as that is tolerated.
 * - `notReady`, `ready`: it is active, one of `status.replicas`.
 */
export type ReplicaState = 'deleting' | 'finished' | 'unknown' | 'notReady' | 'ready';

export function replicaState(vmi: Vmi): ReplicaState {
  if (isDeleting(vmi)) return 'deleting';
  if (isUnknown(vmi)) return 'unknown';
  const ready = conditionOf(vmi, 'Ready');
  if (isFinal(vmi) || (ready?.status === 'False' && ready.reason === 'PodTerminating')) return 'finished';
  return isConditionTrue(vmi, 'Ready') ? 'ready' : 'notReady';
}

/** The VMIs that a set controls, without those that are being deleted. */
export interface Replicas {
  readonly active: readonly Vmi[];
  readonly readyCount: number;
  /** Those whose nodes are unreachable, so that nobody knows whether they run. */
  readonly unknown: readonly Vmi[];
  readonly finished: readonly Vmi[];
  /** Those that the set no longer selects. */
  readonly toRelease: readonly Vmi[];
}

export const NO_REPLICAS: Replicas = { active: [], readyCount: 0, unknown: [], finished: [], toRelease: [] };

/** The replicas with some that were just adopted. */
export function withAdopted(replicas: Replicas, adopted: readonly Vmi[]): Replicas {
  if (adopted.length === 0) return replicas;
  const { ready = [], notReady = [], unknown = [], finished = [] } = Object.groupBy(adopted, replicaState);
  return {
    active: [...replicas.active, ...notReady, ...ready],
    readyCount: replicas.readyCount + ready.length,
    unknown: [...replicas.unknown, ...unknown],
    finished: [...replicas.finished, ...finished],
    toRelease: replicas.toRelease,
  };
}

/** A guest that fails sooner than this after it ran is taken as one that crashes at start. */
const STABLE_AFTER_MS = 10_000;

/** Whether a VMI failed at its start or soon after: its replacement probably will too. */
export function hasFailedEarly(vmi: Vmi): boolean {
  if (vmi.status?.phase !== 'Failed') return false;
  if (!hasEverRun(vmi)) return true;
  const [runningAtMs, failedAtMs] = [phaseReachedAtMs(vmi, 'Running'), phaseReachedAtMs(vmi, 'Failed')];
  return runningAtMs !== undefined && failedAtMs !== undefined && failedAtMs - runningAtMs < STABLE_AFTER_MS;
}

function phaseReachedAtMs({ status }: Vmi, wanted: string): number | undefined {
  const reached = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === wanted)?.phaseTransitionTimestamp;
  return reached ? Date.parse(reached) : undefined;
}
