import { Mark } from '../parts/Mark.tsx';

/** The window that was opened for a login, when there is nothing left to do in it. */
export function Returned({ isTaken }: { readonly isTaken: boolean }) {
  return (
    <main className="gate">
      <div className="gate-card">
        <Mark />
        <h1>{isTaken ? 'You are logged in' : 'Nobody waits for this login'}</h1>
        <p role="status">
          {isTaken
            ? 'You can close this window and go on where you were.'
            : 'It was begun in another window, which is closed, or too long ago.'}
        </p>
        {!isTaken && (
          <p>
            <a href="/dashboard/">Log in here</a>
          </p>
        )}
      </div>
    </main>
  );
}
