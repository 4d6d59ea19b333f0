import { type FollowState, LOGIN_ENDED } from '../decisions/connection.ts';

interface Props {
  readonly state: FollowState;
  /** What cannot be read, such as `Nodes`. */
  readonly what: string;
  /** Which role has the right to. */
  readonly remedy: string;
}

/** A page that the user may not see says what is missing; a kind that the server does not have is no error. */
export function Unreadable({ state, what, remedy }: Props) {
  if (state.kind === 'waiting')
    return (
      <div className="callout callout-err" role="alert">
        <strong>The server cannot be reached.</strong>
        <p>{state.reason}</p>
        <p className="muted">The page tries again by itself.</p>
      </div>
    );
  if (state.kind !== 'refused') return null;
  if (state.code === 404) return <p className="callout">This server has no {what.toLowerCase()}.</p>;
  return (
    <div className="callout callout-err" role="alert">
      <strong>{what} cannot be read.</strong>
      <p>{state.reason}</p>
      <p className="muted">{state.code === 401 ? LOGIN_ENDED : remedy}</p>
    </div>
  );
}
