import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import type { ClusterView } from './filter.ts';
import type { NodeState } from './nodeState.ts';

export const MAX_SCORE = 100;

/** How much each node is liked, from 0 to MAX_SCORE, in the order of `nodes`. */
export interface Score {
  readonly name: string;
  readonly weight: number;
  /** undefined where the pod has no preference, which is cheaper than equal marks for all. */
  rate(pod: Pod, nodes: readonly NodeState[], cluster: ClusterView): readonly number[] | undefined;
}

/** Stretches raw marks to 0…MAX_SCORE; `lowIsGood` turns them round. Equal marks tell nothing. */
export function normalise(raw: readonly number[], lowIsGood = false): number[] | undefined {
  const [low, high] = [Math.min(...raw), Math.max(...raw)];
  if (low === high) return undefined;
  return raw.map((mark) => (MAX_SCORE * (lowIsGood ? high - mark : mark - low)) / (high - low));
}
