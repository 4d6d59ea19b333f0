import { untoleratedTaint } from '@vireo/api/kinds/core/nodeMatch.ts';
import { type Filter, unschedulable } from '../filter.ts';

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
