import { type ConsoleKey, consoleOfKey, type Workspace } from '../../decisions/consoles/workspace.ts';
import { ConsolePane } from './ConsolePane.tsx';
import { titleOf } from './ConsoleTabs.tsx';

interface Props {
  readonly workspace: Workspace;
  readonly onUse: (key: ConsoleKey) => void;
  readonly onUnsplit: (key: ConsoleKey) => void;
  readonly onOutput: (key: ConsoleKey) => void;
}

/** All consoles that are open, in the order of their tabs whatever is shown, so that none loses its connection by moving. */
export function Panes({ workspace: { open, shown, active }, onUse, onUnsplit, onOutput }: Props) {
  const isSplit = shown.length > 1;
  return (
    <div className={isSplit ? 'panes panes-split' : 'panes'}>
      {open.map((key) => {
        const console = consoleOfKey(key);
        if (!console) return null;
        return (
          <section
            key={key}
            className={key === active ? 'pane pane-active' : 'pane'}
            aria-label={titleOf(key)}
            hidden={!shown.includes(key)}
            onFocusCapture={() => key !== active && onUse(key)}
          >
            {isSplit && (
              <div className="pane-head">
                <h2 title={key}>{titleOf(key)}</h2>
                <button type="button" className="plain" onClick={() => onUnsplit(key)}>
                  Hide
                </button>
              </div>
            )}
            <ConsolePane console={console} place="consoles" onOutput={() => onOutput(key)} />
          </section>
        );
      })}
    </div>
  );
}
