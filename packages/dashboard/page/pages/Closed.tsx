import { Mark } from '../parts/Mark.tsx';

interface Props {
  readonly message: string;
  /** Whether there is a session of `vireo dashboard`, so that only the cluster is in the way. */
  readonly isLoggedIn: boolean;
}

/** The page without a cluster: what happened, and how to get in. */
export function Closed({ message, isLoggedIn }: Props) {
  return (
    <main className="gate">
      <div className="gate-card">
        <Mark />
        <h1>{isLoggedIn ? 'The cluster does not let you in' : 'Not logged in'}</h1>
        <p role="alert">{message}</p>
        {isLoggedIn ? (
          <>
            <p className="muted">Log in again as you do for kubectl if your login has ended.</p>
            <button type="button" className="primary" onClick={() => location.reload()}>
              Try again
            </button>
          </>
        ) : (
          <p className="muted">
            Each address works once, for a minute. Press Enter where <code>vireo dashboard</code> runs, or start it
            again, and open the address that it prints.
          </p>
        )}
      </div>
    </main>
  );
}
