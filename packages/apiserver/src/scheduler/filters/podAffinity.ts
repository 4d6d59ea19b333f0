import type { PodAffinityTerm } from '@vireo/api/kinds/core/affinity.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { termSelects, topologyOf } from '../affinityTerm.ts';
import { type ClusterView, type Filter, type NodeCheck, unschedulable } from '../filter.ts';
import type { NodeState } from '../nodeState.ts';

/** Required pod affinity and anti-affinity, the pod's own and that of the pods already placed. */
export const podAffinityFilter: Filter = {
  name: 'InterPodAffinity',
  wokenBy: ['nodeAdded', 'nodeChanged', 'podGone', 'podPlaced'],
  prepare(pod, cluster) {
    const checks = [affinityCheck(pod, cluster), antiAffinityCheck(pod, cluster), othersCheck(pod, cluster)].filter(
      (check) => check !== undefined,
    );
    if (checks.length === 0) return undefined;
    return (state) => {
      for (const check of checks) {
        const refusal = check(state);
        if (refusal) return refusal;
      }
      return undefined;
    };
  },
};

function affinityCheck(pod: Pod, cluster: ClusterView): NodeCheck | undefined {
  const terms = pod.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (terms.length === 0) return undefined;
  const selectedByAll = (other: Pod) => terms.every((term) => termSelects(term, pod, other, cluster));
  const topologies = topologiesWith(terms, cluster.nodes, (_, other) => selectedByAll(other));
  // The first of a group that wants to be together must be able to start somewhere.
  const isFirstOfItsKind = topologies.size === 0 && selectedByAll(pod);
  return ({ node }) => {
    const places = terms.map(({ topologyKey }) => topologyOf(node, topologyKey));
    const fits = places.every((place) => place !== undefined && (isFirstOfItsKind || topologies.has(place)));
    return fits ? undefined : unschedulable("node(s) didn't match pod affinity rules");
  };
}

function antiAffinityCheck(pod: Pod, cluster: ClusterView): NodeCheck | undefined {
  const terms = pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (terms.length === 0) return undefined;
  const taken = topologiesWith(terms, cluster.nodes, (term, other) => termSelects(term, pod, other, cluster));
  return ({ node }) =>
    terms.some(({ topologyKey }) => taken.has(topologyOf(node, topologyKey) ?? ''))
      ? unschedulable("node(s) didn't match pod anti-affinity rules", true)
      : undefined;
}

function othersCheck(pod: Pod, cluster: ClusterView): NodeCheck | undefined {
  const closed = new Set<string>();
  for (const state of cluster.nodes)
    for (const other of state.podsWithAntiAffinity)
      for (const term of other.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
        const topology = topologyOf(state.node, term.topologyKey);
        if (topology !== undefined && termSelects(term, other, pod, cluster)) closed.add(topology);
      }
  if (closed.size === 0) return undefined;
  return ({ node }) => {
    const labels = node?.metadata.labels ?? {};
    return Object.entries(labels).some(([key, value]) => closed.has(`${key}=${value}`))
      ? unschedulable("node(s) didn't satisfy existing pods anti-affinity rules", true)
      : undefined;
  };
}

/** Where pods stand that a term selects, by the term's topology. */
function topologiesWith(
  terms: readonly PodAffinityTerm[],
  nodes: readonly NodeState[],
  selects: (term: PodAffinityTerm, other: Pod) => boolean,
): Set<string> {
  const found = new Set<string>();
  for (const state of nodes)
    for (const term of terms) {
      const topology = topologyOf(state.node, term.topologyKey);
      if (topology === undefined || found.has(topology)) continue;
      for (const other of state.pods.values())
        if (selects(term, other)) {
          found.add(topology);
          break;
        }
    }
  return found;
}
