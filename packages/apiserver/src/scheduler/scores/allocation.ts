import type { NodeState } from '../nodeState.ts';
import { podRequestsForScore } from '../podRequests.ts';
import { MAX_SCORE, type Score } from '../score.ts';

/** Prefers nodes that keep most room after taking the pod. */
export const leastAllocatedScore: Score = {
  name: 'NodeResourcesFit',
  weight: 1,
  rate(pod, nodes) {
    const wanted = podRequestsForScore(pod);
    return nodes.map((state) => {
      const [cpu, memory] = shares(wanted, state);
      return (MAX_SCORE * (2 - cpu - memory)) / 2;
    });
  },
};

/** Prefers nodes on which CPU and memory are then used in like measure, so that neither runs out alone. */
export const balancedAllocationScore: Score = {
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  rate(pod, nodes) {
    const wanted = podRequestsForScore(pod);
    return nodes.map((state) => {
      const [cpu, memory] = shares(wanted, state);
      return MAX_SCORE * (1 - Math.abs(cpu - memory) / 2);
    });
  },
};

function shares(wanted: { cpu: number; memory: number }, { scored, allocatable }: NodeState): [number, number] {
  const share = (used: number, of: number | undefined) => (of ? Math.min(used / of, 1) : 1);
  return [share(scored.cpu + wanted.cpu, allocatable.cpu), share(scored.memory + wanted.memory, allocatable.memory)];
}
