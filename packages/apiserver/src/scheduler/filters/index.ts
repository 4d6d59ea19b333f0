import type { Filter } from '../filter.ts';
import { hostPortsFilter } from './hostPorts.ts';
import { nodeAffinityFilter } from './nodeAffinity.ts';
import { cordonFilter, nodeNameFilter } from './nodeBasics.ts';
import { podAffinityFilter } from './podAffinity.ts';
import { resourcesFilter } from './resources.ts';
import { taintsFilter } from './taints.ts';
import { topologySpreadFilter } from './topologySpread.ts';
import { volumesFilter } from './volumes.ts';

/** In Kubernetes' order: the first that refuses a node names the reason. */
export const FILTERS: readonly Filter[] = [
  cordonFilter,
  nodeNameFilter,
  taintsFilter,
  nodeAffinityFilter,
  hostPortsFilter,
  resourcesFilter,
  volumesFilter,
  topologySpreadFilter,
  podAffinityFilter,
];
