import type { Score } from '../score.ts';
import { balancedAllocationScore, leastAllocatedScore } from './allocation.ts';
import { podAffinityScore } from './podAffinity.ts';
import { imageScore, nodeAffinityScore, taintScore } from './preferences.ts';
import { topologySpreadScore } from './topologySpread.ts';

export const SCORES: readonly Score[] = [
  taintScore,
  nodeAffinityScore,
  topologySpreadScore,
  podAffinityScore,
  leastAllocatedScore,
  balancedAllocationScore,
  imageScore,
];
