import { DELETION_COST_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import { isMigrating, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { replicaState } from './replicaState.ts';

/**
 * The order in which VMIs are deleted when a set has too many. By turns decide
 *
 * 1. readiness: not ready, then migrating, then ready;
 * 2. the annotation `kubevirt.io/deletion-cost`: the lower first, 0 where there is none;
 * 3. the node: first those on no node, then those on the node that has most replicas at that point;
 * 4. age: the youngest first, so that long-running guests stay;
 * 5. the name, so that the order is always the same.
 */
export function scaleDownOrder(vmis: readonly Vmi[]): Vmi[] {
  const ranked = vmis.map((vmi) => ({
    vmi,
    readiness: readinessRank(vmi),
    deletionCost: deletionCost(vmi),
    replicasOnNode: Number.POSITIVE_INFINITY,
    created: vmi.metadata.creationTimestamp,
    name: vmi.metadata.name,
  }));
  const nodes = Map.groupBy(ranked, ({ vmi }) => vmi.status?.nodeName ?? '');
  nodes.delete('');
  // The replicas of one node go one after another: each sees as many there as are left by then.
  for (const onNode of nodes.values()) {
    onNode.sort(compareOnNode).forEach((each, index) => {
      each.replicasOnNode = onNode.length - index;
    });
  }
  return ranked.sort(compareRanks).map(({ vmi }) => vmi);
}

interface Ranks {
  readonly readiness: number;
  readonly deletionCost: number;
  readonly replicasOnNode: number;
  readonly created: string;
  readonly name: string;
}

const compareRanks = (a: Ranks, b: Ranks): number =>
  a.readiness - b.readiness ||
  a.deletionCost - b.deletionCost ||
  compare(b.replicasOnNode, a.replicasOnNode) ||
  compareAge(a, b);

const compareOnNode = (a: Ranks, b: Ranks): number =>
  a.readiness - b.readiness || a.deletionCost - b.deletionCost || compareAge(a, b);

const compareAge = (a: Ranks, b: Ranks): number => compare(b.created, a.created) || compare(a.name, b.name);

/** Without subtraction: two infinities are equal. */
const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

const readinessRank = (vmi: Vmi): number => (replicaState(vmi) !== 'ready' ? 0 : isMigrating(vmi) ? 1 : 2);

/** The deletion cost by its annotation; what is no whole number of 32 bits is 0. */
export function deletionCost({ metadata }: Vmi): number {
  const text = metadata.annotations?.[DELETION_COST_ANNOTATION] ?? '';
  const cost = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : 0;
  return Math.abs(cost) < 2 ** 31 ? cost : 0;
}
