import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import {
  type ConsoleKey,
  closeConsole,
  MOST_SHOWN,
  openConsole,
  parseWorkspace,
  showConsole,
  splitWorkspace,
  unsplit,
  type Workspace,
  workspaceQuery,
} from '../decisions/consoles/workspace.ts';
import { ConsoleTabs } from '../parts/consoles/ConsoleTabs.tsx';
import { Panes } from '../parts/consoles/Panes.tsx';
import { Picker } from '../parts/consoles/Picker.tsx';
import { lastWorkspace, rememberWorkspace } from '../parts/consoles/remembered.ts';
import { Dialog } from '../parts/Dialog.tsx';
import '../styles/consoles.css';

/** Several consoles at once. Which ones is part of the address; all of them stay connected until they are closed. */
export default function ConsolesPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const workspace = useMemo(() => parseWorkspace(new URLSearchParams(search)), [search]);
  const latest = useRef(workspace);
  latest.current = workspace;
  const [isPicking, setPicking] = useState(false);
  const { news, hear } = useNews(workspace);
  const change = (next: Workspace): void => {
    const query = workspaceQuery(next);
    rememberWorkspace(query);
    navigate(`/consoles${query}`, { replace: true });
  };
  useEffect(() => {
    if (workspace.open.length > 0) rememberWorkspace(workspaceQuery(workspace));
  }, [workspace]);

  if (workspace.open.length === 0) return <NothingOpen onOpen={(key) => change(openConsole(workspace, key))} />;
  const obstacle = splitObstacle(workspace);
  return (
    <section className="consoles" aria-label="Consoles">
      <div className="page-head">
        <h1>Consoles</h1>
        <div className="actions">
          <button type="button" onClick={() => setPicking(true)}>
            Open console…
          </button>
          <button
            type="button"
            aria-disabled={obstacle !== undefined}
            title={obstacle}
            onClick={() => obstacle === undefined && change(splitWorkspace(workspace))}
          >
            Split
            {obstacle && <span className="visually-hidden">: {obstacle}</span>}
          </button>
        </div>
      </div>
      <ConsoleTabs
        workspace={workspace}
        news={news}
        onShow={(key) => change(showConsole(workspace, key))}
        onClose={(key) => change(closeConsole(workspace, key))}
      />
      <Panes
        workspace={workspace}
        onUse={(key) => change(showConsole(latest.current, key))}
        onUnsplit={(key) => change(unsplit(workspace, key))}
        onOutput={hear}
      />
      {isPicking && (
        <Dialog title="Open a console" onClose={() => setPicking(false)}>
          <Picker open={workspace.open} onOpen={(key) => change(openConsole(workspace, key))} />
          <div className="dialog-buttons">
            <button type="button" onClick={() => setPicking(false)}>
              Done
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

/** Which consoles have written something since they were last shown. */
function useNews({ shown }: Workspace): { news: ReadonlySet<ConsoleKey>; hear: (key: ConsoleKey) => void } {
  const [news, setNews] = useState<ReadonlySet<ConsoleKey>>(new Set());
  const seen = useRef(shown);
  seen.current = shown;
  const hear = useCallback((key: ConsoleKey): void => {
    if (!seen.current.includes(key)) setNews((before) => (before.has(key) ? before : new Set([...before, key])));
  }, []);
  useEffect(() => {
    setNews((before) => {
      const left = [...before].filter((key) => !shown.includes(key));
      return left.length === before.size ? before : new Set(left);
    });
  }, [shown]);
  return { news, hear };
}

function splitObstacle({ open, shown }: Workspace): string | undefined {
  if (shown.length >= MOST_SHOWN) return `At most ${MOST_SHOWN} consoles are shown side by side.`;
  return shown.length === open.length ? 'Open another console first.' : undefined;
}

/** Opening takes a serial console from whoever has it, so the last ones are offered, not opened. */
function NothingOpen({ onOpen }: { readonly onOpen: (key: ConsoleKey) => void }) {
  const [, navigate] = useLocation();
  const last = lastWorkspace();
  const { open } = parseWorkspace(new URLSearchParams(last));
  return (
    <section className="consoles" aria-label="Consoles">
      <div className="page-head">
        <h1>Consoles</h1>
        {open.length > 0 && (
          <div className="actions">
            <button type="button" onClick={() => navigate(`/consoles${last}`, { replace: true })}>
              Open the last {open.length === 1 ? 'one' : open.length} again
            </button>
          </div>
        )}
      </div>
      <p className="muted">
        Serial consoles and screens of several machines, in tabs or side by side. Choose the first:
      </p>
      <Picker open={[]} onOpen={onOpen} />
    </section>
  );
}
