import { type FormEvent, useState } from 'react';
import { logIn, type Session } from '../data/session.ts';
import { Mark } from '../parts/Mark.tsx';

interface Props {
  readonly message: string | undefined;
  readonly onOpen: (session: Session) => void;
  readonly onRejected: () => void;
}

/** Asks for a token. It stays in memory: reloading the page forgets it. */
export function Login({ message, onOpen, onRejected }: Props) {
  const [token, setToken] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (token.trim() === '') {
      setProblem('Paste a token first.');
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      onOpen(await logIn(token, onRejected));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      setProblem(
        code === 401
          ? 'The server does not accept this token. It may have expired, or be incomplete.'
          : `The server cannot be asked: ${error instanceof Error ? error.message : error}`,
      );
      setBusy(false);
    }
  };

  return (
    <main className="gate">
      <form className="gate-card" onSubmit={submit}>
        <Mark />
        <h1>Log in to Vireo</h1>
        {message && <p role="status">{message}</p>}
        <label htmlFor="token">Token</label>
        <textarea
          id="token"
          rows={4}
          value={token}
          onChange={(event) => setToken(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          aria-describedby="token-hint"
          aria-invalid={problem !== undefined}
        />
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <p className="muted" id="token-hint">
          The token of a ServiceAccount, for example from <code>kubectl create token NAME</code>. You can do here what
          its roles allow. It is kept in memory only.
        </p>
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? 'Logging in…' : 'Log in'}
        </button>
      </form>
    </main>
  );
}
