import type { PodAffinityTerm } from '@vireo/api/kinds/core/affinity.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { termSelects, topologyOf } from '../affinityTerm.ts';
import type { ClusterView } from '../filter.ts';
import { normalise, type Score } from '../score.ts';

/** A required affinity of a placed pod draws a newcomer with this weight. */
const HARD_AFFINITY_WEIGHT = 1;

/** Preferred pod affinity and anti-affinity, the newcomer's and that of the pods already placed. */
export const podAffinityScore: Score = {
  name: 'InterPodAffinity',
  weight: 2,
  rate(pod, nodes, cluster) {
    const pull = pullByTopology(pod, cluster);
    if (pull.size === 0) return undefined;
    return normalise(
      nodes.map(({ node }) =>
        Object.entries(node?.metadata.labels ?? {}).reduce(
          (sum, [key, value]) => sum + (pull.get(`${key}=${value}`) ?? 0),
          0,
        ),
      ),
    );
  },
};

/** How strongly each place of a topology draws the pod; below zero it repels. */
function pullByTopology(pod: Pod, cluster: ClusterView): Map<string, number> {
  const pull = new Map<string, number>();
  const own = weightedTerms(pod);
  for (const state of cluster.nodes) {
    const add = (term: PodAffinityTerm, weight: number) => {
      const topology = topologyOf(state.node, term.topologyKey);
      if (topology !== undefined) pull.set(topology, (pull.get(topology) ?? 0) + weight);
    };
    if (own.length > 0)
      for (const other of state.pods.values())
        for (const { term, weight } of own) if (termSelects(term, pod, other, cluster)) add(term, weight);
    for (const other of state.podsWithAffinity)
      for (const { term, weight } of [...weightedTerms(other), ...requiredTerms(other)])
        if (termSelects(term, other, pod, cluster)) add(term, weight);
  }
  return pull;
}

interface WeightedTerm {
  readonly term: PodAffinityTerm;
  readonly weight: number;
}

function weightedTerms({ spec }: Pod): WeightedTerm[] {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [
    ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm, weight }) => ({
      term: podAffinityTerm,
      weight,
    })),
    ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm, weight }) => ({
      term: podAffinityTerm,
      weight: -weight,
    })),
  ];
}

const requiredTerms = ({ spec }: Pod): WeightedTerm[] =>
  (spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => ({
    term,
    weight: HARD_AFFINITY_WEIGHT,
  }));
