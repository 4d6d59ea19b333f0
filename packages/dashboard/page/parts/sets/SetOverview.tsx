import { useMemo } from 'react';
import type { Autoscaler } from '../../data/setKinds.ts';
import type { FollowState } from '../../decisions/connection.ts';
import type { FoldedEvent } from '../../decisions/events.ts';
import { isLeaving } from '../../decisions/sets/members.ts';
import { ownerOf, progressText } from '../../decisions/sets/scale.ts';
import type { SetKind, SetRow } from '../../decisions/sets/set.ts';
import { EventList } from '../EventList.tsx';
import { useCollection } from '../session.tsx';
import { Members } from './Members.tsx';
import { Moves } from './Moves.tsx';
import { ScaleControl } from './ScaleControl.tsx';
import { ReadyMeter } from './SetLine.tsx';
import { useMembers } from './useMembers.ts';

interface Props {
  readonly kind: SetKind;
  readonly set: SetRow;
  readonly events: readonly FoldedEvent[];
  readonly eventsState: FollowState;
}

const same = <T,>(object: T): T => object;
const FEW_EVENTS = 8;

/** The number and who makes it up. */
export function SetOverview({ kind, set, events, eventsState }: Props) {
  const { members, state } = useMembers(kind, set);
  const autoscalers = useCollection<Autoscaler, Autoscaler>(
    `/apis/autoscaling/v2/namespaces/${encodeURIComponent(set.namespace)}/horizontalpodautoscalers`,
    same,
  );
  const owner = useMemo(() => ownerOf(kind, set.name, autoscalers.rows), [kind, set.name, autoscalers.rows]);
  const going = members.filter(isLeaving).length;
  return (
    <div className="stack">
      {set.failures.map(({ type, reason, message }) => (
        <div key={type} className="callout callout-err" role="alert">
          <strong>
            {type}
            {reason && `: ${reason}`}
          </strong>
          <p>{message}</p>
        </div>
      ))}
      <div className="cards">
        <section className="card" aria-label="Replicas">
          <h2>Replicas</h2>
          <dl className="counts">
            <Count name="desired" value={set.desired} />
            <Count name="current" value={set.current} />
            <Count name="ready" value={set.ready} />
          </dl>
          <p className="progress">
            <ReadyMeter set={set} />
          </p>
          <p role="status">{progressText(set, going)}</p>
          <ScaleControl kind={kind} set={set} owner={owner} />
        </section>
        <section className="card" aria-label="Progress">
          <h2>Progress</h2>
          <Moves kind={kind} set={set} members={members} />
        </section>
      </div>
      <Members members={members} state={state} />
      <section className="card" aria-label="Last events">
        <h2>Last events</h2>
        <EventList events={events.slice(0, FEW_EVENTS)} state={eventsState} />
      </section>
    </div>
  );
}

function Count({ name, value }: { readonly name: string; readonly value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
