import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { connectionWords } from '../decisions/connection.ts';
import '../styles/narrow.css';
import { Boundary } from './Boundary.tsx';
import { UploadIndicator } from './images/UploadsProvider.tsx';
import { KeyHelp } from './KeyHelp.tsx';
import { Mark } from './Mark.tsx';
import { NamespacePicker } from './NamespacePicker.tsx';
import { PaletteHost } from './palette/PaletteHost.tsx';
import { SideBar } from './SideBar.tsx';
import { useNow, useSession } from './session.tsx';
import { ThemeButton } from './ThemeButton.tsx';
import { TasksButton } from './tasks/TasksButton.tsx';
import { useKey } from './useKey.ts';

/** What surrounds every page: where one is, as whom, and whether what is shown is true. */
export function Shell({ children, onLogOut }: { readonly children: ReactNode; readonly onLogOut: () => void }) {
  const { session } = useSession();
  const [isHelpShown, setHelpShown] = useState(false);
  const [areTasksOpen, setTasksOpen] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [address] = useLocation();
  const bar = useRef<HTMLElement>(null);
  const main = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on narrow screens the menu closes when it has led somewhere
  useEffect(() => setMenuOpen(false), [address]);
  const pickNamespace = (): void => {
    // On narrow screens the choice is in the menu; the palette gives the focus back as it closes.
    setMenuOpen(true);
    requestAnimationFrame(() => bar.current?.querySelector<HTMLElement>('.namespace :is(select, input)')?.focus());
  };
  useKey('?', () => setHelpShown(true));
  return (
    <>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header ref={bar} className={isMenuOpen ? 'bar menu-open' : 'bar'}>
        <button
          type="button"
          className="plain menu"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          ☰
        </button>
        <Link href="/" className="bar-home" aria-label="Vireo: machines">
          <Mark />
        </Link>
        <NamespacePicker />
        <span className="bar-space" />
        <PaletteHost
          onKeys={() => setHelpShown(true)}
          onPickNamespace={pickNamespace}
          onTasks={() => setTasksOpen(true)}
          onLogOut={onLogOut}
        />
        <ConnectionState />
        <UploadIndicator />
        <TasksButton isOpen={areTasksOpen} onOpen={setTasksOpen} />
        <span className="bar-user" title={session.server && `${session.user} at ${session.server}`}>
          {session.user}
        </span>
        <ThemeButton />
        <button
          type="button"
          className="plain bar-keys"
          aria-label="Keyboard shortcuts"
          onClick={() => setHelpShown(true)}
        >
          ?
        </button>
        <button type="button" className="bar-out" onClick={onLogOut}>
          Log out
        </button>
      </header>
      <div className="below-bar">
        <SideBar />
        <main id="main" ref={main} tabIndex={-1} className="page">
          <Boundary address={address}>{children}</Boundary>
        </main>
      </div>
      {isHelpShown && <KeyHelp onClose={() => setHelpShown(false)} />}
    </>
  );
}

function ConnectionState() {
  const { api } = useSession().session;
  const states = useSyncExternalStore(api.subscribe, api.states);
  const now = useNow(1_000);
  const { tone, text, detail } = connectionWords(states, now);
  return (
    <span className={`connection tone-${tone}`} role="status" title={detail}>
      <span className="dot" aria-hidden="true" />
      {text}
    </span>
  );
}
