import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { type ClusterView, type Filter, type NodeCheck, PodRefusal, type UnschedulableStatus } from './filter.ts';
import { FILTERS } from './filters/index.ts';
import { nodesMessage, preemptionMessage, shortfallMessage } from './messages.ts';
import type { NodeState } from './nodeState.ts';
import { SCORES } from './scores/index.ts';

/** Where a pod goes, or why it goes nowhere. */
export type Placement =
  | { readonly node: NodeState }
  | {
      readonly message: string;
      /** The filters that refused a node: what has to change before another try makes sense. */
      readonly refusedBy: readonly Filter[];
    };

/** Decides on a node for the pod. Looks, and changes nothing. */
export function placePod(pod: Pod, cluster: ClusterView): Placement {
  const { nodes } = cluster;
  if (nodes.length === 0) return { message: 'no nodes available to schedule pods', refusedBy: FILTERS };
  const checks: { filter: Filter; check: NodeCheck }[] = [];
  for (const filter of FILTERS) {
    try {
      const check = filter.prepare(pod, cluster);
      if (check) checks.push({ filter, check });
    } catch (error) {
      if (!(error instanceof PodRefusal)) throw error;
      const notHelpful = nodes.map(() => ({ reasons: [], resolvable: false }));
      return {
        message: `0/${nodes.length} nodes are available: ${error.message}. ${preemptionMessage(pod, notHelpful)}`,
        refusedBy: [filter],
      };
    }
  }
  const fitting: NodeState[] = [];
  const statuses: UnschedulableStatus[] = [];
  const refusedBy = new Set<Filter>();
  for (const state of nodes) {
    const refusal = firstRefusal(checks, state);
    if (!refusal) fitting.push(state);
    else {
      statuses.push(refusal.status);
      refusedBy.add(refusal.filter);
    }
  }
  const node = fitting.length > 1 ? best(pod, fitting, cluster) : fitting[0];
  if (node) return { node };
  const [theirs, preemption] = [nodesMessage(statuses), preemptionMessage(pod, statuses)];
  return { message: `${theirs} ${preemption}${shortfallMessage(pod, nodes, statuses)}`, refusedBy: [...refusedBy] };
}

function firstRefusal(checks: readonly { filter: Filter; check: NodeCheck }[], state: NodeState) {
  for (const { filter, check } of checks) {
    const status = check(state);
    if (status) return { filter, status };
  }
  return undefined;
}

/** The node with the highest weighted sum; the first by name where several are equal. */
function best(pod: Pod, nodes: readonly NodeState[], cluster: ClusterView): NodeState | undefined {
  const totals = nodes.map(() => 0);
  for (const { rate, weight } of SCORES) {
    const marks = rate(pod, nodes, cluster) ?? [];
    for (const [index, mark] of marks.entries()) totals[index] = (totals[index] ?? 0) + weight * mark;
  }
  return nodes[totals.indexOf(Math.max(...totals))];
}
