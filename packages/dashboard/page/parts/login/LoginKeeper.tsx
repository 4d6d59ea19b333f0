import { useEffect, useState, useSyncExternalStore } from 'react';
import { refresh } from '../../data/oidc.ts';
import { remainingWords } from '../../decisions/login.ts';
import { useNow, useSession } from '../session.tsx';
import { LoginDialog } from './LoginDialog.tsx';

const LOOK_MS = 1_000;
/** How long to wait before a provider that did not answer is asked again. */
const RETRY_MS = 30_000;

/** Renews the login before it ends, or says that it does; asks to log in again over the page when it is over. */
export function LoginKeeper({ onLogOut }: { readonly onLogOut: () => void }) {
  const { credentials } = useSession().session;
  const { credential, expiresAtMs, warnBeforeMs, isRejected } = useSyncExternalStore(
    credentials.subscribe,
    credentials.snapshot,
  );
  const now = useNow(LOOK_MS);
  const [isAsked, setAsked] = useState(false);
  const [retryAtMs, setRetryAtMs] = useState(0);
  const leftMs = expiresAtMs === undefined ? Number.POSITIVE_INFINITY : expiresAtMs - now;
  const isDue = leftMs <= warnBeforeMs;
  const isRefreshable = credential?.kind === 'oidc' && credential.refreshToken !== undefined;
  const isRefreshDue = isRefreshable && isDue && now >= retryAtMs;

  useEffect(() => {
    if (!isRefreshDue || credential?.kind !== 'oidc') return;
    setRetryAtMs(Date.now() + RETRY_MS);
    // If the provider refuses, the notice stays, and so does the time to log in again.
    refresh(credential).then(
      (renewed) => {
        setRetryAtMs(0);
        if (credentials.snapshot().credential === credential) credentials.renew(renewed);
      },
      () => {},
    );
  }, [isRefreshDue, credential, credentials]);

  if (isRejected || leftMs <= 0 || isAsked)
    return (
      <LoginDialog
        isOver={isRejected || leftMs <= 0}
        onLogOut={onLogOut}
        onLater={() => setAsked(false)}
        onRenewed={() => setAsked(false)}
      />
    );
  // A provider that answers at once leaves nothing to be told.
  if (!isDue || (isRefreshable && leftMs > warnBeforeMs - 2 * LOOK_MS)) return null;
  return (
    <div className="login-notice" role="status">
      <span>Your login ends in {remainingWords(leftMs)}.</span>
      <button type="button" onClick={() => setAsked(true)}>
        Log in again
      </button>
    </div>
  );
}
