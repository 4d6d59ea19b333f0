import { Suspense, useCallback, useEffect, useState } from 'react';
import { Route, Switch } from 'wouter';
import { end, LEFT, type Left, leaveFor, onNewAddress, start, type View } from './data/lifecycle.ts';
import { Closed } from './pages/Closed.tsx';
import { Login } from './pages/Login.tsx';
import { MachinePage } from './pages/Machine.tsx';
import { MachinesPage } from './pages/Machines.tsx';
import { NotFound } from './pages/NotFound.tsx';
import { Returned } from './pages/Returned.tsx';
import { UploadsProvider } from './parts/images/UploadsProvider.tsx';
import { lazyPart } from './parts/lazyPart.ts';
import { LoginKeeper } from './parts/login/LoginKeeper.tsx';
import { NoticesProvider } from './parts/Notices.tsx';
import { Shell } from './parts/Shell.tsx';
import { SessionProvider } from './parts/session.tsx';
import { TasksProvider } from './parts/tasks/tasks.tsx';
import { useIdleLock } from './parts/useIdleLock.ts';

// Loaded when they are visited: most users live in the list.
const CreatePage = lazyPart(() => import('./pages/Create.tsx'));
const ConsolesPage = lazyPart(() => import('./pages/Consoles.tsx'));
const ConsoleWindow = lazyPart(() => import('./pages/ConsoleWindow.tsx'));
const SetsPage = lazyPart(() => import('./pages/Sets.tsx'));
const ImagesPage = lazyPart(() => import('./pages/Images.tsx'));
const NodesPage = lazyPart(() => import('./pages/Nodes.tsx'));
const AccessPage = lazyPart(() => import('./pages/Access.tsx'));
const SettingsPage = lazyPart(() => import('./pages/Settings.tsx'));

const MINUTE_MS = 60_000;
/** A page of `vireo dashboard` is on the user's own host, which has a lock of its own. */
const IDLE_MS = { token: 15 * MINUTE_MS, local: 12 * 60 * MINUTE_MS } as const;

/** Who is logged in decides what is shown. */
export function App() {
  const [view, setView] = useState<View>({ kind: 'loading' });
  // Read once: the fragment is removed at the start.
  const [left] = useState(() => location.hash);

  useEffect(() => {
    start(LEFT[left]).then(setView, (error: unknown) =>
      setView({ kind: 'closed', message: error instanceof Error ? error.message : String(error) }),
    );
  }, [left]);
  useEffect(() => {
    if (view.kind === 'leaving') leaveFor(view.to);
  }, [view]);

  const session = view.kind === 'open' ? view.session : undefined;
  useEffect(() => onNewAddress(session), [session]);
  const leave = useCallback(
    (how: Left): void => {
      if (session) void end(session, how).then((to) => setView({ kind: 'leaving', to }));
    },
    [session],
  );
  useIdleLock(session && IDLE_MS[session.mode], () => leave('#locked'));

  if (view.kind === 'loading' || view.kind === 'leaving') return null;
  if (view.kind === 'returned') return <Returned isTaken={view.isTaken} />;
  if (view.kind === 'login')
    return (
      <Login
        host={view.host}
        message={view.message}
        isAskedAgain={left === '#locked'}
        onOpen={(opened) => setView({ kind: 'open', session: opened })}
      />
    );
  if (view.kind === 'closed' || !session)
    return (
      <Closed
        message={view.kind === 'closed' ? view.message : 'This session has ended.'}
        isLoggedIn={view.kind === 'closed' && view.isLoggedIn === true}
      />
    );
  const logOut = (): void => leave('#logged-out');
  return (
    <SessionProvider session={session}>
      <NoticesProvider>
        <TasksProvider>
          <UploadsProvider>
            <LoginKeeper onLogOut={logOut} />
            <Switch>
              <Route path="/consoles/window/:kind/:namespace/:name">
                {(parameters) => (
                  <Suspense fallback={null}>
                    <ConsoleWindow {...parameters} />
                  </Suspense>
                )}
              </Route>
              <Route>
                <Shell onLogOut={logOut}>
                  <Suspense fallback={<p className="muted">Loading…</p>}>
                    <Switch>
                      <Route path="/" component={MachinesPage} />
                      <Route path="/machines/:namespace/:name/:tab?">
                        {({ namespace, name, tab }) => (
                          <MachinePage
                            key={`${namespace}/${name}`}
                            namespace={namespace}
                            name={name}
                            tab={tab ?? 'overview'}
                          />
                        )}
                      </Route>
                      <Route path="/create" component={CreatePage} />
                      <Route path="/consoles/*?" component={ConsolesPage} />
                      <Route path="/sets/*?" component={SetsPage} />
                      <Route path="/images/*?" component={ImagesPage} />
                      <Route path="/nodes/*?" component={NodesPage} />
                      <Route path="/access/*?" component={AccessPage} />
                      <Route path="/settings/*?" component={SettingsPage} />
                      <Route component={NotFound} />
                    </Switch>
                  </Suspense>
                </Shell>
              </Route>
            </Switch>
          </UploadsProvider>
        </TasksProvider>
      </NoticesProvider>
    </SessionProvider>
  );
}
