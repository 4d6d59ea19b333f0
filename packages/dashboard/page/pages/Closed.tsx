import { Mark } from '../parts/Mark.tsx';

/** The page without a session of `vireo dashboard`: what happened, and how to get in. */
export function Closed({ message }: { readonly message: string }) {
  return (
    <main className="gate">
      <div className="gate-card">
        <Mark />
        <h1>Not logged in</h1>
        <p role="alert">{message}</p>
        <p className="muted">
          Each address works once, for a minute. Press Enter where <code>vireo dashboard</code> runs, or start it again,
          and open the address that it prints.
        </p>
      </div>
    </main>
  );
}
