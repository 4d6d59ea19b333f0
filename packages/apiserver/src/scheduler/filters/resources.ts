import type { Filter } from '../filter.ts';
import { podRequests } from '../podRequests.ts';

/** Room for the pod's requests beside those of the pods that are there, and for one more pod. */
export const resourcesFilter: Filter = {
  name: 'NodeResourcesFit',
  wokenBy: ['nodeAdded', 'nodeChanged', 'podGone'],
  prepare(pod) {
    const requests = Object.entries(podRequests(pod)).filter(([, amount]) => amount > 0);
    return ({ allocatable, requested, pods }) => {
      const reasons: string[] = [];
      let resolvable = true;
      if (pods.size + 1 > (allocatable.pods ?? 0)) reasons.push('Too many pods');
      for (const [name, amount] of requests) {
        const capacity = allocatable[name] ?? 0;
        if (amount <= capacity - (requested[name] ?? 0)) continue;
        reasons.push(`Insufficient ${name}`);
        if (amount > capacity) resolvable = false;
      }
      return reasons.length === 0 ? undefined : { reasons, resolvable };
    };
  },
};
