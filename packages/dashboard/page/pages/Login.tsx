import { useEffect, useState } from 'react';
import { logInHere } from '../data/oidcWindow.ts';
import { askCertificateUser, type Host, logIn, type Session } from '../data/session.ts';
import { LoginOptions } from '../parts/login/LoginOptions.tsx';
import { Mark } from '../parts/Mark.tsx';

interface Props {
  readonly host: Host & { readonly mode: 'token' };
  readonly message: string | undefined;
  /** Whether an identity provider is to ask again who it is: after a lock, whoever sits there may be another. */
  readonly isAskedAgain: boolean;
  readonly onOpen: (session: Session) => void;
}

/** The ways to log in. Credentials stay in memory: reloading the page forgets them. */
export function Login({ host, message, isAskedAgain, onOpen }: Props) {
  const { providers = [], hasCertificate = false } = host;
  const [certificateUser, setCertificateUser] = useState<string>();
  useEffect(() => {
    if (hasCertificate) void askCertificateUser().then(setCertificateUser);
  }, [hasCertificate]);
  return (
    <main className="gate">
      <div className="gate-card">
        <Mark />
        <h1>Log in to Vireo</h1>
        {message && <p role="status">{message}</p>}
        <LoginOptions
          providers={providers}
          certificateUser={certificateUser}
          onCredential={async (credential) => onOpen(await logIn(credential))}
          onProvider={(provider) => logInHere(provider, isAskedAgain)}
        />
      </div>
    </main>
  );
}
