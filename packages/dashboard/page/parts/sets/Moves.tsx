import { useRef } from 'react';
import { Link } from 'wouter';
import { isLeaving, type Member } from '../../decisions/sets/members.ts';
import { nextOfPool } from '../../decisions/sets/poolStrategy.ts';
import { nextToGo } from '../../decisions/sets/scaleDown.ts';
import type { SetKind, SetRow } from '../../decisions/sets/set.ts';
import { useIsVireo } from '../settings/useKubeVirt.ts';

interface Props {
  readonly kind: SetKind;
  readonly set: SetRow;
  readonly members: readonly Member[];
}

/** Which machine starts, which goes, and why it was chosen. */
export function Moves({ kind, set, members }: Props) {
  const isOrdered = useIsVireo() && kind.id === 'replicaset';
  const whyGoing = useWhyGoing(set, members, isOrdered);
  const starting = members.filter((member) => !isLeaving(member) && !member.isReady);
  const going = members.filter(isLeaving);
  const next = kind.id === 'pool' ? nextOfPool(members, set.strategy.goesFirst) : isOrdered && nextToGo(members, 1)[0];
  return (
    <ul className="moves">
      {starting.map((member) => (
        <li key={member.uid}>
          <MachineLink member={member} /> starts. <span className="muted">{member.why}</span>
        </li>
      ))}
      {going.map((member) => (
        <li key={member.uid}>
          <MachineLink member={member} /> goes: {whyGoing(member)}.
        </li>
      ))}
      {starting.length === 0 && going.length === 0 && <li className="muted">Nothing is starting or going.</li>}
      {next && members.length > 1 && going.length === 0 && (
        <li className="muted">
          Scaled down by one, {next.member.name} would go: {next.reason}.
        </li>
      )}
    </ul>
  );
}

function MachineLink({ member: { namespace, name } }: { readonly member: Member }) {
  return <Link href={`/machines/${namespace}/${name}`}>{name}</Link>;
}

/**
 * A machine that shuts down is not ready any more, so why it was chosen is known only from before: what was seen last of
 * each machine while it stayed is remembered.
 */
function useWhyGoing(set: SetRow, members: readonly Member[], isOrdered: boolean): (member: Member) => string {
  const before = useRef<readonly Member[]>([]);
  const reasons = useRef(new Map<string, string>());
  const staying = members.filter((member) => !isLeaving(member));
  const left = before.current.filter(({ uid }) => !staying.some((member) => member.uid === uid));
  if (left.length > 0) {
    const isShrinking = before.current.length > set.desired;
    const chosen = isOrdered && isShrinking ? nextToGo(before.current, left.length) : [];
    for (const { uid } of left) {
      const reason = chosen.find(({ member }) => member.uid === uid)?.reason;
      const other = isShrinking ? 'the set has too many' : 'it was deleted, and another one takes its place';
      reasons.current.set(uid, reason ?? other);
    }
  }
  before.current = staying;
  return ({ uid, hasEnded, whyGoing }) =>
    hasEnded ? 'its guest has ended' : (whyGoing ?? reasons.current.get(uid) ?? 'it is being deleted');
}
