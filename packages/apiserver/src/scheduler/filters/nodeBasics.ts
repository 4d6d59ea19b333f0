import { tolerates } from '@vireo/api/kinds/core/nodeMatch.ts';
import { type Filter, unschedulable } from '../filter.ts';

const CORDONED = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** Cordoned nodes take only pods that tolerate the cordon. */
export const cordonFilter: Filter = {
  name: 'NodeUnschedulable',
  wokenBy: ['nodeAdded', 'nodeChanged'],
  prepare(pod) {
    if (tolerates(pod.spec?.tolerations, CORDONED)) return undefined;
    return ({ node }) => (node?.spec?.unschedulable ? unschedulable('node(s) were unschedulable') : undefined);
  },
};

export const nodeNameFilter: Filter = {
  name: 'NodeName',
  wokenBy: ['nodeAdded'],
  prepare(pod) {
    const wanted = pod.spec?.nodeName;
    if (!wanted) return undefined;
    return ({ name }) => (name === wanted ? undefined : unschedulable("node(s) didn't match the requested node name"));
  },
};
