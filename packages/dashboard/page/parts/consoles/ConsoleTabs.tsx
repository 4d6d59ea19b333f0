import { KIND_WORDS } from '../../decisions/consoles/guest.ts';
import { type ConsoleKey, consoleOfKey, type Workspace } from '../../decisions/consoles/workspace.ts';

interface Props {
  readonly workspace: Workspace;
  readonly news: ReadonlySet<ConsoleKey>;
  readonly onShow: (key: ConsoleKey) => void;
  readonly onClose: (key: ConsoleKey) => void;
}

/** The consoles that are open. A dot marks output that nobody has seen. */
export function ConsoleTabs({ workspace: { open, shown, active }, news, onShow, onClose }: Props) {
  return (
    <ul className="console-tabs" aria-label="Open consoles">
      {open.map((key) => {
        const isShown = shown.includes(key);
        const title = titleOf(key);
        const state = [isShown && 'console-tab-shown', key === active && 'console-tab-active'].filter(Boolean);
        return (
          <li key={key} className={['console-tab', ...state].join(' ')}>
            <button
              type="button"
              className="plain"
              aria-current={isShown ? 'true' : undefined}
              title={key}
              onClick={() => onShow(key)}
            >
              {title}
              {news.has(key) && !isShown && (
                <span className="news">
                  <span aria-hidden="true"> ●</span> new
                </span>
              )}
            </button>
            <button type="button" className="plain" aria-label={`Close ${title}`} onClick={() => onClose(key)}>
              ✕
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** `web · Serial`. */
export function titleOf(key: ConsoleKey): string {
  const console = consoleOfKey(key);
  return console ? `${console.name} · ${KIND_WORDS[console.kind]}` : key;
}
