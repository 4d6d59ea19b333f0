import { allowsNode, untoleratedTaint } from '@vireo/api/kinds/core/nodeMatch.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import type { TopologySpreadConstraint } from '@vireo/api/kinds/core/scheduling.ts';
import type { LabelSelectorObject } from '@vireo/api/labelSelector.ts';
import { matchesLabelSelector } from '../../labelSelector.ts';
import { type Filter, type NodeCheck, unschedulable } from '../filter.ts';
import type { NodeState } from '../nodeState.ts';

/** Keeps pods even over a topology: no place may be ahead of the emptiest one by more than maxSkew. */
export const topologySpreadFilter: Filter = {
  name: 'PodTopologySpread',
  wokenBy: ['nodeAdded', 'nodeChanged', 'podGone', 'podPlaced'],
  prepare(pod, { nodes }) {
    const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(
      ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
    );
    if (constraints.length === 0) return undefined;
    const keys = constraints.map(({ topologyKey }) => topologyKey);
    const checks = constraints.map((constraint) => constraintCheck(pod, constraint, nodes, keys));
    return (state) => {
      for (const check of checks) {
        const refusal = check(state);
        if (refusal) return refusal;
      }
      return undefined;
    };
  },
};

const MISMATCH = "node(s) didn't match pod topology spread constraints";

function constraintCheck(
  pod: Pod,
  constraint: TopologySpreadConstraint,
  nodes: readonly NodeState[],
  keys: readonly string[],
): NodeCheck {
  const { topologyKey, maxSkew } = constraint;
  const selector = spreadSelector(constraint, pod);
  const counts = spreadCounts(pod, constraint, nodes, keys);
  const fewest = counts.size < (constraint.minDomains ?? 1) ? 0 : Math.min(...counts.values());
  const self = matchesLabelSelector(selector, pod.metadata.labels) ? 1 : 0;
  return ({ node }) => {
    const place = node?.metadata.labels?.[topologyKey];
    if (place === undefined) return unschedulable(`${MISMATCH} (missing required label)`);
    return (counts.get(place) ?? 0) + self - fewest > maxSkew ? unschedulable(MISMATCH, true) : undefined;
  };
}

/** How many selected pods each place has. Places count if the pod could go there and all the keys are present. */
export function spreadCounts(
  pod: Pod,
  constraint: TopologySpreadConstraint,
  nodes: readonly NodeState[],
  keys: readonly string[],
): Map<string, number> {
  const selector = spreadSelector(constraint, pod);
  const { namespace } = pod.metadata;
  const question = JSON.stringify([namespace, selector]);
  const isSelected = ({ metadata }: Pod): boolean =>
    metadata.namespace === namespace &&
    metadata.deletionTimestamp === undefined &&
    matchesLabelSelector(selector, metadata.labels);
  const counts = new Map<string, number>();
  for (const state of nodes) {
    const labels = state.node?.metadata.labels ?? {};
    const place = labels[constraint.topologyKey];
    if (place === undefined || keys.some((key) => labels[key] === undefined)) continue;
    if (!countsNode(pod, constraint, state)) continue;
    counts.set(place, (counts.get(place) ?? 0) + state.podCount(question, isSelected));
  }
  return counts;
}

function countsNode(pod: Pod, constraint: TopologySpreadConstraint, { node }: NodeState): boolean {
  if (!node) return false;
  if ((constraint.nodeAffinityPolicy ?? 'Honor') === 'Honor' && !allowsNode(pod.spec ?? {}, node)) return false;
  return constraint.nodeTaintsPolicy !== 'Honor' || !untoleratedTaint(node.spec?.taints, pod.spec?.tolerations);
}

/** `matchLabelKeys` narrow the selector to pods with the same values as the newcomer's. */
function spreadSelector(constraint: TopologySpreadConstraint, pod: Pod): LabelSelectorObject | undefined {
  const { labelSelector, matchLabelKeys = [] } = constraint;
  if (!labelSelector || matchLabelKeys.length === 0) return labelSelector;
  const own = pod.metadata.labels ?? {};
  const more = matchLabelKeys.flatMap((key) =>
    own[key] === undefined ? [] : [{ key, operator: 'In', values: [own[key]] }],
  );
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...more] };
}
