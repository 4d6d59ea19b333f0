import { useMemo } from 'react';
import { Link } from 'wouter';
import { whole } from '../../data/kinds.ts';
import type { Autoscaler } from '../../data/setKinds.ts';
import type { FollowState } from '../../decisions/connection.ts';
import type { FoldedEvent } from '../../decisions/events.ts';
import { isLeaving, type Member } from '../../decisions/sets/members.ts';
import { ownerOf, progressText } from '../../decisions/sets/scale.ts';
import type { SetKind, SetRow } from '../../decisions/sets/set.ts';
import { EventList } from '../EventList.tsx';
import { Bar } from '../Meter.tsx';
import { useCollection } from '../session.tsx';
import { Members } from './Members.tsx';
import { Moves } from './Moves.tsx';
import { ScaleControl } from './ScaleControl.tsx';
import { readyFigures } from './SetLine.tsx';
import { useMembers } from './useMembers.ts';

interface Props {
  readonly kind: SetKind;
  readonly set: SetRow;
  readonly events: readonly FoldedEvent[];
  readonly eventsState: FollowState;
}

const FEW_EVENTS = 8;

/** The number and who makes it up. */
export function SetOverview({ kind, set, events, eventsState }: Props) {
  const { members, detached, state } = useMembers(kind, set);
  const autoscalers = useCollection<Autoscaler, Autoscaler>(
    `/apis/autoscaling/v2/namespaces/${encodeURIComponent(set.namespace)}/horizontalpodautoscalers`,
    whole,
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
          <p className="progress meter">
            <Bar {...readyFigures(set)} />
            <span role="status">{progressText(set, going)}</span>
          </p>
          <ScaleControl kind={kind} set={set} owner={owner} />
        </section>
        <section className="card" aria-label="Progress">
          <h2>Progress</h2>
          <Moves kind={kind} set={set} members={members} />
          {kind.id === 'pool' && <Strategy texts={set.strategy.texts} />}
        </section>
      </div>
      {detached.length > 0 && <Detached vms={detached} />}
      <Members members={members} state={state} />
      <section className="card" aria-label="Last events">
        <h2>Last events</h2>
        <EventList events={events.slice(0, FEW_EVENTS)} state={eventsState} />
      </section>
    </div>
  );
}

function Strategy({ texts }: { readonly texts: readonly string[] }) {
  return (
    <>
      <h3 className="moves-title">Strategy</h3>
      <ul className="moves">
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}

/** VMs that were taken out of a pool run on by themselves, and are easily forgotten. */
function Detached({ vms }: { readonly vms: readonly Member[] }) {
  return (
    <section className="callout" aria-label="Taken out of the pool">
      <strong>Taken out of the pool</strong>
      <p>
        {vms.map(({ uid, namespace, name }, index) => (
          <span key={uid}>
            {index > 0 && ', '}
            <Link href={`/machines/${namespace}/${name}`}>{name}</Link>
          </span>
        ))}{' '}
        {vms.length === 1 ? 'was' : 'were'} made by the pool and {vms.length === 1 ? 'has' : 'have'} left it: labels do
        not match its selector any more. The pool neither counts nor deletes {vms.length === 1 ? 'it' : 'them'}.
      </p>
    </section>
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
