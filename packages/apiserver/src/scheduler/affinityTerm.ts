import type { PodAffinityTerm } from '@vireo/api/kinds/core/affinity.ts';
import type { Node } from '@vireo/api/kinds/core/node.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { matchesLabelSelector } from '../labelSelector.ts';
import type { ClusterView } from './filter.ts';

/** Whether `other` is among the pods that a term of `owner` speaks of. */
export function termSelects(term: PodAffinityTerm, owner: Pod, other: Pod, cluster: ClusterView): boolean {
  return (
    matchesLabelSelector(term.labelSelector, other.metadata.labels) &&
    agreeOnLabels(term, owner, other) &&
    selectsNamespace(term, owner.metadata.namespace ?? '', other.metadata.namespace ?? '', cluster)
  );
}

/** `matchLabelKeys` narrow the selector to pods with the owner's values, `mismatchLabelKeys` to pods with others. */
function agreeOnLabels(
  { matchLabelKeys = [], mismatchLabelKeys = [] }: PodAffinityTerm,
  owner: Pod,
  other: Pod,
): boolean {
  const own = owner.metadata.labels ?? {};
  const theirs = other.metadata.labels ?? {};
  return (
    matchLabelKeys.every((key) => own[key] === undefined || theirs[key] === own[key]) &&
    mismatchLabelKeys.every((key) => own[key] === undefined || (theirs[key] !== undefined && theirs[key] !== own[key]))
  );
}

function selectsNamespace(term: PodAffinityTerm, own: string, other: string, cluster: ClusterView): boolean {
  const { namespaces = [], namespaceSelector } = term;
  if (namespaces.length === 0 && !namespaceSelector) return own === other;
  if (namespaces.includes(other)) return true;
  return (
    namespaceSelector !== undefined && matchesLabelSelector(namespaceSelector, cluster.namespaceLabels(other) ?? {})
  );
}

/** The node's place in a topology as one string; undefined where the node has no such label. */
export function topologyOf(node: Node | undefined, topologyKey: string): string | undefined {
  const labels = node?.metadata.labels;
  if (!labels || !Object.hasOwn(labels, topologyKey)) return undefined;
  return `${topologyKey}=${labels[topologyKey]}`;
}
