import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Credential } from '../../data/credentials.ts';
import { logInBeside } from '../../data/oidcWindow.ts';
import { askCertificateUser, askHost, userOf } from '../../data/session.ts';
import type { Provider } from '../../decisions/login.ts';
import { Dialog } from '../Dialog.tsx';
import { useSession } from '../session.tsx';
import { LoginOptions } from './LoginOptions.tsx';

interface Props {
  /** Whether nothing works until the user has logged in; otherwise that can wait. */
  readonly isOver: boolean;
  readonly onLogOut: () => void;
  readonly onLater: () => void;
  readonly onRenewed: () => void;
}

/** Asks the same user to log in again, over the page, which stays as it is. */
export function LoginDialog({ isOver, onLogOut, onLater, onRenewed }: Props) {
  const { user, mode, credentials } = useSession().session;
  const { credential } = useSyncExternalStore(credentials.subscribe, credentials.snapshot);
  const [providers, setProviders] = useState<readonly Provider[]>([]);
  const [certificateUser, setCertificateUser] = useState<string>();
  const given = useRef(new AbortController());
  useEffect(() => {
    given.current = new AbortController();
    return () => given.current.abort();
  }, []);
  useEffect(() => {
    if (mode === 'local') return;
    askHost().then(
      (host) => {
        if (host.mode !== 'token') return;
        setProviders(host.providers ?? []);
        if (host.hasCertificate) void askCertificateUser().then(setCertificateUser);
      },
      () => {},
    );
  }, [mode]);

  const renew = async (renewed: Credential): Promise<void> => {
    const other = await userOf(renewed);
    if (other !== user) throw new Error(`That is ${other}. Log in as ${user}, or log out first.`);
    credentials.renew(renewed);
    onRenewed();
  };
  return (
    <Dialog title={isOver ? 'Log in again' : 'Renew your login'} onClose={isOver ? undefined : onLater}>
      <p>
        {isOver ? 'Your login has ended. ' : ''}
        {mode === 'local' ? (
          <>
            Press Enter where <code>vireo dashboard</code> runs, open the address that it prints in another tab, and
            come back.
          </>
        ) : (
          `Log in as ${user}. The page stays as it is.`
        )}
      </p>
      {mode === 'local' ? (
        <TryAgain onOpen={() => credentials.renew({ kind: 'local' })} />
      ) : (
        <LoginOptions
          providers={credential?.kind === 'oidc' ? firstOf(providers, credential.provider) : providers}
          certificateUser={certificateUser}
          onCredential={renew}
          onProvider={async (provider) => renew(await logInBeside(provider, given.current.signal))}
        />
      )}
      <div className="dialog-buttons">
        {!isOver && (
          <button type="button" onClick={onLater}>
            Later
          </button>
        )}
        {isOver && (
          <button type="button" onClick={onLogOut}>
            Log out
          </button>
        )}
      </div>
    </Dialog>
  );
}

/** Whether the session is open again is for `vireo dashboard` to say. */
function TryAgain({ onOpen }: { readonly onOpen: () => void }) {
  const [problem, setProblem] = useState<string>();
  const look = async (): Promise<void> => {
    const host = await askHost().catch(() => undefined);
    if (host?.mode === 'local' && host.isOpen) onOpen();
    else setProblem(host ? 'There is no session yet.' : 'The program vireo dashboard does not answer. Is it running?');
  };
  return (
    <>
      {problem && (
        <p className="problem login-problem" role="alert">
          {problem}
        </p>
      )}
      <button type="button" className="primary" data-autofocus onClick={() => void look()}>
        Continue
      </button>
    </>
  );
}

const firstOf = (all: readonly Provider[], { issuer }: Provider): readonly Provider[] =>
  [...all].sort((a, b) => Number(b.issuer === issuer) - Number(a.issuer === issuer));
