import { useCallback, useEffect, useState } from 'react';
import { Route, Router, Switch } from 'wouter';
import { askHost, codeIn, endLocalSession, exchangeCode, useLocal as openLocal, type Session } from './data/session.ts';
import { Closed } from './pages/Closed.tsx';
import { Login } from './pages/Login.tsx';
import { MachinePage } from './pages/Machine.tsx';
import { MachinesPage } from './pages/Machines.tsx';
import { NotFound } from './pages/NotFound.tsx';
import { NoticesProvider } from './parts/Notices.tsx';
import { Shell } from './parts/Shell.tsx';
import { SessionProvider } from './parts/session.tsx';
import { useIdleLock } from './parts/useIdleLock.ts';

type View =
  | { readonly kind: 'loading' }
  | { readonly kind: 'login'; readonly message?: string }
  | { readonly kind: 'closed'; readonly message: string }
  | { readonly kind: 'open'; readonly session: Session };

/** Who is logged in decides what is shown. */
export function App() {
  const [view, setView] = useState<View>({ kind: 'loading' });
  const close = useCallback((next: View): void => {
    setView((before) => {
      // Who is not logged in has nothing to lose, and a message about what was tried.
      if (before.kind !== 'open') return before;
      before.session.api.close();
      return next;
    });
  }, []);
  const rejected = useCallback(
    (): void => close({ kind: 'login', message: 'The server no longer accepts the token. Log in again.' }),
    [close],
  );

  useEffect(() => {
    start(() => close({ kind: 'closed', message: SESSION_OVER })).then(setView, (error: unknown) =>
      setView({ kind: 'closed', message: error instanceof Error ? error.message : String(error) }),
    );
  }, [close]);

  const isLockable = view.kind === 'open' && view.session.mode === 'token';
  useIdleLock(isLockable, () => close({ kind: 'login', message: 'Locked after 15 minutes without input.' }));

  if (view.kind === 'loading') return null;
  if (view.kind === 'login')
    return (
      <Login message={view.message} onRejected={rejected} onOpen={(session) => setView({ kind: 'open', session })} />
    );
  if (view.kind === 'closed') return <Closed message={view.message} />;
  const { session } = view;
  const logOut = (): void => {
    if (session.mode === 'token') close({ kind: 'login', message: 'You are logged out.' });
    else void endLocalSession().finally(() => close({ kind: 'closed', message: 'You are logged out.' }));
  };
  return (
    <SessionProvider session={session}>
      <NoticesProvider>
        <Router base="/dashboard">
          <Shell onLogOut={logOut}>
            <Switch>
              <Route path="/" component={MachinesPage} />
              <Route path="/machines/:namespace/:name/:tab?">
                {({ namespace, name, tab }) => (
                  <MachinePage key={`${namespace}/${name}`} namespace={namespace} name={name} tab={tab ?? 'overview'} />
                )}
              </Route>
              <Route component={NotFound} />
            </Switch>
          </Shell>
        </Router>
      </NoticesProvider>
    </SessionProvider>
  );
}

const SESSION_OVER = 'This session has ended.';

async function start(onRejected: () => void): Promise<View> {
  const code = codeIn(location.hash);
  // The code must not stay in the address, the history or a screenshot.
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  const before = await askHost();
  if (before.mode === 'token') return { kind: 'login' };
  if (!before.isOpen && code !== undefined) await exchangeCode(code);
  const host = before.isOpen ? before : await askHost();
  if (host.mode !== 'local' || !host.isOpen)
    return { kind: 'closed', message: 'This page is opened with the address that `vireo dashboard` prints.' };
  return { kind: 'open', session: await openLocal(host, onRejected) };
}
