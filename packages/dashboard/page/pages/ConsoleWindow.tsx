import { useEffect } from 'react';
import { KIND_WORDS } from '../decisions/consoles/guest.ts';
import { consoleOfKey } from '../decisions/consoles/workspace.ts';
import { ConsolePane } from '../parts/consoles/ConsolePane.tsx';
import { NotFound } from './NotFound.tsx';
import '../styles/consoles.css';

interface Props {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One console in a window of its own, with nothing around it. */
export default function ConsoleWindow({ kind, namespace, name }: Props) {
  const console = consoleOfKey(`${kind}/${namespace}/${name}`);
  const title = console && `${name} · ${KIND_WORDS[console.kind]}`;
  useEffect(() => {
    const before = document.title;
    if (title) document.title = `${title} – Vireo`;
    return () => {
      document.title = before;
    };
  }, [title]);
  if (!console) return <NotFound />;
  return (
    <main className="console-window">
      <h1>
        {title} <span className="muted">{namespace}</span>
      </h1>
      <ConsolePane console={console} place="window" />
    </main>
  );
}
