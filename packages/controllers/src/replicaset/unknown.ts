import { unknownSinceMs } from '@vireo/api/kinds/kubevirt/fencing.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Replicas } from './replicaState.ts';

const UNREACHABLE_TAINT = 'node.kubernetes.io/unreachable';
/** What Kubernetes gives to pods that do not say how long they put up with an unreachable node. */
const DEFAULT_SECONDS = 300;

/** How long a VMI tolerates that its node is unreachable, by its tolerations, as Kubernetes reads them. */
export function toleratedSilenceMs({ spec }: Vmi): number {
  const matching = (spec.tolerations ?? []).filter(
    ({ key, operator, value, effect }) =>
      (key ? key === UNREACHABLE_TAINT && (operator === 'Exists' || !value) : operator === 'Exists') &&
      (!effect || effect === 'NoExecute'),
  );
  if (matching.length === 0) return DEFAULT_SECONDS * 1000;
  const seconds = matching.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  return seconds.length > 0 ? Math.max(0, Math.min(...seconds.map(Number))) * 1000 : Number.POSITIVE_INFINITY;
}

const remainingMs = (vmi: Vmi, nowMs: number): number =>
  (unknownSinceMs(vmi) ?? nowMs) + toleratedSilenceMs(vmi) - nowMs;

/**
 * The replicas with those counted as active whose nodes have not been unreachable for too long. The others stay as they are,
 * and a set makes new ones in their places: other instances, with disks of their own.
 */
export function withTolerated(replicas: Replicas, nowMs: number): Replicas {
  if (replicas.unknown.length === 0) return replicas;
  const { tolerated = [], lost = [] } = Object.groupBy(replicas.unknown, (vmi) =>
    remainingMs(vmi, nowMs) > 0 ? 'tolerated' : 'lost',
  );
  return { ...replicas, active: [...tolerated, ...replicas.active], unknown: lost };
}

/** After how long the next of them has been Unknown for too long. */
export const toleratedForMs = (unknown: readonly Vmi[], nowMs: number): number =>
  Math.min(Number.POSITIVE_INFINITY, ...unknown.map((vmi) => remainingMs(vmi, nowMs)).filter((ms) => ms > 0));
