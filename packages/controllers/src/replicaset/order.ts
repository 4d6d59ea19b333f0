import type { Vmi } from '../kinds.ts';
import { DELETION_COST_ANNOTATION } from '../wellKnown.ts';
import { standingOf } from './standing.ts';

/**
 * Which instances go first when there are too many: those nobody would miss. By turns decide
 *
 * 1. what they do: not ready, then migrating, then ready;
 * 2. the annotation `kubevirt.io/deletion-cost`: the cheaper first, 0 where nothing is said;
 * 3. where they are: first those on no node, then those on the node that has most replicas at that point;
 * 4. their age: the youngest first, so that long-running guests stay;
 * 5. their name, so that the order is always the same.
 */
export function scaleDownOrder(instances: readonly Vmi[]): Vmi[] {
  const ranked = instances.map((vmi) => ({
    vmi,
    activity: activityRank(vmi),
    cost: deletionCost(vmi),
    crowd: Number.POSITIVE_INFINITY,
    created: vmi.metadata.creationTimestamp ?? '',
    name: vmi.metadata.name ?? '',
  }));
  const nodes = Map.groupBy(ranked, ({ vmi }) => vmi.status?.nodeName ?? '');
  nodes.delete('');
  // Of the replicas of one node each goes when those before it are gone; so many are left there by then.
  for (const neighbours of nodes.values()) {
    neighbours.sort(byMerit).forEach((each, index) => {
      each.crowd = neighbours.length - index;
    });
  }
  return ranked.sort(byMeritAndCrowd).map(({ vmi }) => vmi);
}

interface Ranked {
  readonly activity: number;
  readonly cost: number;
  readonly crowd: number;
  readonly created: string;
  readonly name: string;
}

const byMerit = (a: Ranked, b: Ranked): number => a.activity - b.activity || a.cost - b.cost || byAge(a, b);

const byMeritAndCrowd = (a: Ranked, b: Ranked): number =>
  a.activity - b.activity || a.cost - b.cost || compare(b.crowd, a.crowd) || byAge(a, b);

const byAge = (a: Ranked, b: Ranked): number => compare(b.created, a.created) || compare(a.name, b.name);

/** Without subtraction: two infinities are equal. */
const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

const activityRank = (vmi: Vmi): number => (standingOf(vmi) !== 'ready' ? 0 : isMigrating(vmi) ? 1 : 2);

/** Whether the guest is on its way to another node. */
export function isMigrating({ status }: Vmi): boolean {
  const migration = status?.migrationState;
  return !!migration && !migration.completed && !migration.failed && !migration.endTimestamp;
}

/** What losing the instance costs, by the word of whoever set it; what is no whole number of 32 bits is 0. */
export function deletionCost({ metadata }: Vmi): number {
  const text = metadata.annotations?.[DELETION_COST_ANNOTATION] ?? '';
  const cost = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : 0;
  return Math.abs(cost) < 2 ** 31 ? cost : 0;
}
