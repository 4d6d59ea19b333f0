import type { Persisted } from '@vireo/api';
import type { Node } from '@vireo/api/kinds/core/node.ts';
import type { NodeSelectorTerm } from '@vireo/api/kinds/core/nodeSelector.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { matchesRequirement } from '../../labelSelector.ts';
import { type Filter, unschedulable } from '../filter.ts';

/** Whether a node satisfies one term. A term without requirements takes no node. */
export function matchesNodeTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  node: Persisted<Node>,
): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const fields = { 'metadata.name': node.metadata.name };
  return (
    matchExpressions.every((requirement) => matchesRequirement(requirement, node.metadata.labels)) &&
    matchFields.every((requirement) => matchesRequirement(requirement, fields))
  );
}

/** Whether the pod's nodeSelector and required node affinity allow the node. */
export function allowsNode(pod: Pod, node: Persisted<Node>): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(pod.spec?.nodeSelector ?? {}))
    if (!Object.hasOwn(labels, key) || labels[key] !== value) return false;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || required.nodeSelectorTerms.some((term) => matchesNodeTerm(term, node));
}

export const nodeAffinityFilter: Filter = {
  name: 'NodeAffinity',
  wokenBy: ['nodeAdded', 'nodeChanged'],
  prepare(pod) {
    const { nodeSelector, affinity } = pod.spec ?? {};
    if (!nodeSelector && !affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution) return undefined;
    return ({ node }) =>
      node && allowsNode(pod, node) ? undefined : unschedulable("node(s) didn't match Pod's node affinity/selector");
  },
};
