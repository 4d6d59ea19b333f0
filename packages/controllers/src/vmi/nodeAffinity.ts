import type { Affinity } from '@vireo/api/kinds/core/affinity.ts';

/** The affinity of a VMI with nodes ruled out that have any of these labels, whichever of its terms they match. */
export function withoutNodesOf(labels: readonly string[], affinity: Affinity | undefined): Affinity | undefined {
  if (labels.length === 0) return affinity;
  const rejected = labels.map((key) => ({ key, operator: 'DoesNotExist' }) as const);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [{}];
  // A term without any requirement matches no node, and must not begin to.
  const isEmpty = (term: (typeof terms)[number]): boolean =>
    required !== undefined && !term.matchExpressions?.length && !term.matchFields?.length;
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: terms.map((term) =>
          isEmpty(term) ? term : { ...term, matchExpressions: [...(term.matchExpressions ?? []), ...rejected] },
        ),
      },
    },
  };
}
