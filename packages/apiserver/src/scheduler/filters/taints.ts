import type { Taint, Toleration } from '@vireo/api/kinds/core/scheduling.ts';
import { type Filter, unschedulable } from '../filter.ts';

/** Whether any of the tolerations puts up with the taint. */
export const tolerates = (tolerations: readonly Toleration[] | undefined, taint: Taint): boolean =>
  (tolerations ?? []).some((toleration) => toleratesTaint(toleration, taint));

function toleratesTaint({ key, operator, value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  // An empty key stands for all keys only together with Exists.
  return Boolean(key) && value === (taint.value ?? '');
}

/** The first taint that keeps pods with these tolerations off the node. */
export const untoleratedTaint = (
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined =>
  (taints ?? []).find(
    (taint) => (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !tolerates(tolerations, taint),
  );

export const taintsFilter: Filter = {
  name: 'TaintToleration',
  wokenBy: ['nodeAdded', 'nodeChanged'],
  prepare(pod) {
    const tolerations = pod.spec?.tolerations;
    return ({ node }) => {
      const taint = untoleratedTaint(node?.spec?.taints, tolerations);
      return taint && unschedulable(`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`);
    };
  },
};
