import { type ReactNode, useRef, useState, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { connectionWords } from '../decisions/connection.ts';
import { KeyHelp } from './KeyHelp.tsx';
import { Mark } from './Mark.tsx';
import { NamespacePicker } from './NamespacePicker.tsx';
import { useNow, useSession } from './session.tsx';
import { ThemeButton } from './ThemeButton.tsx';
import { useKey } from './useKey.ts';

/** What surrounds every page: where one is, as whom, and whether what is shown is true. */
export function Shell({ children, onLogOut }: { readonly children: ReactNode; readonly onLogOut: () => void }) {
  const { session } = useSession();
  const [isHelpShown, setHelpShown] = useState(false);
  const main = useRef<HTMLElement>(null);
  useKey('?', () => setHelpShown(true));
  return (
    <>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header className="bar">
        <Link href="/" className="bar-home" aria-label="Vireo: machines">
          <Mark />
        </Link>
        <NamespacePicker />
        <span className="bar-space" />
        <ConnectionState />
        <span className="bar-user" title={session.server && `${session.user} at ${session.server}`}>
          {session.user}
        </span>
        <ThemeButton />
        <button type="button" className="plain" aria-label="Keyboard shortcuts" onClick={() => setHelpShown(true)}>
          ?
        </button>
        <button type="button" onClick={onLogOut}>
          Log out
        </button>
      </header>
      <main id="main" ref={main} tabIndex={-1} className="page">
        {children}
      </main>
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
