import { type FormEvent, useId, useState } from 'react';
import type { Credential } from '../../data/credentials.ts';
import type { Provider } from '../../decisions/login.ts';
import '../../styles/login.css';

export interface LoginOptionsProps {
  readonly providers: readonly Provider[];
  /** Whose certificate the browser shows; undefined: none. */
  readonly certificateUser: string | undefined;
  /** Rejects with the words to show. */
  readonly onCredential: (credential: Credential) => Promise<void>;
  readonly onProvider: (provider: Provider) => Promise<void>;
}

/** The ways to log in at the server itself. What is typed stays when it is refused. */
export function LoginOptions({ providers, certificateUser, onCredential, onProvider }: LoginOptionsProps) {
  const id = useId();
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<string>();

  const attempt = async (what: string, action: () => Promise<void>): Promise<void> => {
    setBusy(what);
    setProblem(undefined);
    try {
      await action();
    } catch (error) {
      setProblem(wordsFor(error, what));
      setBusy(undefined);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (token.trim() === '') setProblem('Paste a token first.');
    else void attempt('token', () => onCredential({ kind: 'token', token: token.trim() }));
  };
  const hasOthers = certificateUser !== undefined || providers.length > 0;
  return (
    <>
      {hasOthers && (
        <div className="login-ways">
          {certificateUser !== undefined && (
            <button
              type="button"
              className="primary login-way"
              disabled={busy !== undefined}
              onClick={() => void attempt('certificate', () => onCredential({ kind: 'certificate' }))}
            >
              {busy === 'certificate' ? 'Logging in…' : 'Use my browser’s certificate'}
              <span className="login-way-detail">{certificateUser}</span>
            </button>
          )}
          {providers.map((provider, index) => (
            <button
              key={provider.issuer}
              type="button"
              className={index === 0 && certificateUser === undefined ? 'primary login-way' : 'login-way'}
              disabled={busy !== undefined}
              onClick={() => void attempt(provider.issuer, () => onProvider(provider))}
            >
              {busy === provider.issuer ? `Waiting for ${provider.name}…` : `Log in with ${provider.name}`}
            </button>
          ))}
          {problem && <Problem text={problem} />}
          <p className="login-or">or</p>
        </div>
      )}
      <form onSubmit={submit} className="login-token">
        <label htmlFor={`${id}token`}>Token</label>
        <textarea
          id={`${id}token`}
          rows={hasOthers ? 2 : 4}
          value={token}
          onChange={(event) => setToken(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={`${id}hint`}
          aria-invalid={problem !== undefined}
        />
        {problem && !hasOthers && <Problem text={problem} />}
        <p className="muted" id={`${id}hint`}>
          The token of a ServiceAccount, for example from <code>kubectl create token NAME</code>. You can do here what
          its roles allow. It is kept in memory only.
        </p>
        <button type="submit" className={hasOthers ? '' : 'primary'} disabled={busy !== undefined}>
          {busy === 'token' ? 'Logging in…' : 'Log in'}
        </button>
      </form>
    </>
  );
}

function Problem({ text }: { readonly text: string }) {
  return (
    <p className="problem" role="alert">
      {text}
    </p>
  );
}

function wordsFor(error: unknown, what: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 401 && what === 'token')
    return 'The server does not accept this token. It may have expired, or be incomplete.';
  if (code === 401) return 'The server does not accept this login; its log says why.';
  if (error instanceof TypeError) return 'The server cannot be reached.';
  return error instanceof Error ? error.message : String(error);
}
