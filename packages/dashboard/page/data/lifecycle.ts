import { endSessionUrl, returnedIn } from '../decisions/login.ts';
import { comeBack, handOver } from './oidcWindow.ts';
import {
  askHost,
  codeIn,
  endLocalSession,
  exchangeCode,
  type Host,
  logIn,
  useLocal as openLocal,
  type Session,
} from './session.ts';

/** What the page shows. */
export type View =
  | { readonly kind: 'loading' }
  | { readonly kind: 'login'; readonly host: Host & { readonly mode: 'token' }; readonly message?: string }
  | { readonly kind: 'closed'; readonly message: string; readonly isLoggedIn?: boolean }
  | { readonly kind: 'returned'; readonly isTaken: boolean }
  | { readonly kind: 'open'; readonly session: Session }
  | { readonly kind: 'leaving'; readonly to: string };

/** How a session ends. */
export type Left = '#logged-out' | '#locked';

/** What the page says after it was left, by the fragment that it comes back with. */
export const LEFT: Readonly<Record<string, string>> = {
  '#logged-out': 'You are logged out.',
  '#locked': 'Locked, because nobody has touched the page for a while.',
};

/** Ends a session with everything that is under way; where to go then. */
export async function end({ api, credentials, mode }: Session, how: Left): Promise<string> {
  const { credential } = credentials.snapshot();
  api.close();
  credentials.forget();
  sessionStorage.clear();
  if (mode === 'local') await endLocalSession().catch(() => {});
  // A lock keeps the address, to come back to; whoever logs out leaves also the provider.
  if (how === '#locked') return `${location.pathname}${location.search}${how}`;
  const atProvider =
    credential?.kind === 'oidc' &&
    endSessionUrl(credential.endpoints, credential.token, `${location.origin}/dashboard/`);
  return atProvider || `/dashboard/${how}`;
}

/** Loads the page anew, so that nothing of the user is left in memory, nor comes back with the button Back. */
export function leaveFor(to: string): void {
  if (to.startsWith('/')) {
    history.replaceState(null, '', to);
    location.reload();
  } else location.replace(to);
}

/** What to show first. `message` is what the page was left with. */
export async function start(message: string | undefined): Promise<View> {
  const code = codeIn(location.hash);
  const returned = returnedIn(location.pathname, location.search);
  // A code must not stay in the address, the history or a screenshot.
  if (returned) history.replaceState(null, '', '/dashboard/');
  else if (code !== undefined || message !== undefined)
    history.replaceState(null, '', location.pathname + location.search);
  const before = await askHost();
  if (before.mode === 'token') {
    if (!returned) return { kind: 'login', host: before, ...(message !== undefined && { message }) };
    try {
      const back = await comeBack(returned);
      if (!back) return await returnBeside(() => handOver(returned));
      history.replaceState(null, '', back.returnTo);
      return { kind: 'open', session: await logIn(back.credential) };
    } catch (error) {
      return { kind: 'login', host: before, message: error instanceof Error ? error.message : String(error) };
    }
  }
  if (!before.isOpen && code !== undefined) await exchangeCode(code);
  const host = before.isOpen ? before : await askHost();
  if (host.mode !== 'local' || !host.isOpen)
    return {
      kind: 'closed',
      message: message ?? 'This page is opened with the address that `vireo dashboard` prints.',
    };
  try {
    return { kind: 'open', session: await openLocal(host) };
  } catch (error) {
    return { kind: 'closed', message: error instanceof Error ? error.message : String(error), isLoggedIn: true };
  }
}

/**
 * An address with a code that is opened in a tab of the page changes only the fragment: the browser loads nothing. Returns
 * what ends the listening.
 */
export function onNewAddress(session: Session | undefined): () => void {
  const look = (): void => {
    const code = codeIn(location.hash);
    if (code === undefined) return;
    if (session?.mode !== 'local') {
      location.reload();
      return;
    }
    history.replaceState(null, '', location.pathname + location.search);
    // A code that is late is told where the session is needed.
    void exchangeCode(code).then(
      () => session.credentials.renew({ kind: 'local' }),
      () => {},
    );
  };
  window.addEventListener('hashchange', look);
  return () => window.removeEventListener('hashchange', look);
}

async function returnBeside(hand: () => Promise<boolean>): Promise<View> {
  const isTaken = await hand();
  // Browsers may not allow it; then the page says that it can be closed.
  if (isTaken) window.close();
  return { kind: 'returned', isTaken };
}
