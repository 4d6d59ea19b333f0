import { Link } from 'wouter';
import type { ConsoleRef } from '../../decisions/consoles/guest.ts';
import { keyOfConsole, openConsole, parseWorkspace, workspaceQuery } from '../../decisions/consoles/workspace.ts';
import { useSession } from '../session.tsx';
import { lastWorkspace } from './remembered.ts';

/** Where a console is drawn: each place leads to the others. */
export type Place = 'machine' | 'consoles' | 'window';

export function PlaceLinks({ console, place }: { readonly console: ConsoleRef; readonly place: Place }) {
  const { mode } = useSession().session;
  if (place === 'window') return null;
  const open = (): void => {
    const { kind, namespace, name } = console;
    const address = `/dashboard/consoles/window/${kind}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
    window.open(address, '_blank', 'popup,noopener,width=1100,height=800');
  };
  const hint = mode === 'token' ? 'A window of its own. You log in there again: tokens stay in their page.' : undefined;
  return (
    <>
      {place === 'machine' && (
        <Link className="button" href={consolesAddress(console)}>
          Open in consoles
        </Link>
      )}
      <button type="button" title={hint} onClick={open}>
        Own window
      </button>
    </>
  );
}

/** The page of consoles with one more open. */
const consolesAddress = (console: ConsoleRef): string => {
  const before = parseWorkspace(new URLSearchParams(lastWorkspace()));
  return `/consoles${workspaceQuery(openConsole(before, keyOfConsole(console)))}`;
};
