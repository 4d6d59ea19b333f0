import type { FollowState } from '../decisions/connection.ts';
import type { FoldedEvent } from '../decisions/events.ts';
import { Age } from './Age.tsx';
import { useNow } from './session.tsx';

/** Events, newest first; what happened often is one line with its number. */
export function EventList({ events, state }: { readonly events: readonly FoldedEvent[]; readonly state: FollowState }) {
  const now = useNow(1_000);
  if (state.kind === 'refused') return <p className="callout callout-err">Events cannot be read: {state.reason}</p>;
  if (events.length === 0)
    return <p className="muted">{state.kind === 'loading' ? '' : 'No events. Servers keep them for about an hour.'}</p>;
  return (
    <ul className="events">
      {events.map(({ key, isWarning, reason, message, about, count, lastAt }) => (
        <li key={key} className={isWarning ? 'event event-warning' : 'event'}>
          <Age time={lastAt} now={now} />
          <span className="event-type">{isWarning ? 'Warning' : 'Normal'}</span>
          <span className="event-text">
            <strong>{reason}</strong> {message} <span className="muted">{about}</span>
          </span>
          {count > 1 && <span className="event-count">×{count}</span>}
        </li>
      ))}
    </ul>
  );
}
