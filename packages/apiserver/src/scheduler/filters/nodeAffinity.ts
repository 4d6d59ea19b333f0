import { allowsNode } from '@vireo/api/kinds/core/nodeMatch.ts';
import { type Filter, unschedulable } from '../filter.ts';

export const nodeAffinityFilter: Filter = {
  name: 'NodeAffinity',
  wokenBy: ['nodeAdded', 'nodeChanged'],
  prepare({ spec = { containers: [] } }) {
    if (!spec.nodeSelector && !spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution)
      return undefined;
    return ({ node }) =>
      node && allowsNode(spec, node) ? undefined : unschedulable("node(s) didn't match Pod's node affinity/selector");
  },
};
