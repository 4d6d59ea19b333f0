import { isLeaving, type Member } from './members.ts';

/** A machine that goes if the set shrinks, and why it and not another. */
export interface Candidate {
  readonly member: Member;
  readonly reason: string;
}

/**
 * Who goes first when Vireo scales a set down: not ready, then migrating, then ready; lower deletion cost; on no node,
 * then on the node with most replicas; youngest; name. KubeVirt chooses any.
 */
export function nextToGo(members: readonly Member[], count: number): Candidate[] {
  const ranked = rank(members.filter((member) => !isLeaving(member)));
  const stays = ranked[count];
  return ranked.slice(0, count).map((each) => ({ member: each.member, reason: reasonFor(each, stays) }));
}

interface Ranked {
  readonly member: Member;
  readonly readiness: number;
  replicasOnNode: number;
}

function rank(members: readonly Member[]): Ranked[] {
  const ranked: Ranked[] = members.map((member) => ({
    member,
    readiness: !member.isReady ? 0 : member.isMigrating ? 1 : 2,
    replicasOnNode: Number.POSITIVE_INFINITY,
  }));
  const nodes = Map.groupBy(ranked, ({ member }) => member.node ?? '');
  nodes.delete('');
  // The replicas of one node go one after another: each sees as many there as are left by then.
  for (const onNode of nodes.values())
    onNode.sort(compareOnNode).forEach((each, index) => {
      each.replicasOnNode = onNode.length - index;
    });
  return ranked.sort(
    (a, b) => compareCost(a, b) || compare(b.replicasOnNode, a.replicasOnNode) || compareAge(a.member, b.member),
  );
}

const compareCost = (a: Ranked, b: Ranked): number =>
  a.readiness - b.readiness || a.member.deletionCost - b.member.deletionCost;
const compareOnNode = (a: Ranked, b: Ranked): number => compareCost(a, b) || compareAge(a.member, b.member);
const compareAge = (a: Member, b: Member): number =>
  compare(b.createdAt ?? '', a.createdAt ?? '') || compare(a.name, b.name);
const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** The first rule that tells it from the next one, which stays. */
function reasonFor(chosen: Ranked, stays: Ranked | undefined): string {
  const { member, readiness, replicasOnNode } = chosen;
  if (!stays) return 'none is left to choose from';
  if (readiness !== stays.readiness) return readiness === 0 ? 'it is not ready' : 'it is migrating';
  if (member.deletionCost !== stays.member.deletionCost)
    return `its deletion cost of ${member.deletionCost} is lower than that of the others`;
  // On one node, the one before sees more replicas because it is before: age has decided.
  if (member.node !== stays.member.node && replicasOnNode !== stays.replicasOnNode)
    return member.node === undefined
      ? 'it is not on a node yet'
      : `its node ${member.node} has the most replicas (${replicasOnNode})`;
  return member.createdAt === stays.member.createdAt
    ? 'all else is equal, and its name comes first'
    : 'it is the youngest';
}
