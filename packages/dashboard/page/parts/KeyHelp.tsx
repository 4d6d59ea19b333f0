import { Dialog } from './Dialog.tsx';

const KEYS = [
  ['Ctrl K, ⌘ K', 'commands: find pages and machines, act on them'],
  ['g m', 'go to machines; g c consoles, g r replica sets, g i images, g n nodes, g a access, g s settings'],
  ['/', 'search machines'],
  ['c', 'create a machine, from the list'],
  ['j, k', 'next and previous machine of the list'],
  ['x', 'select the machine in focus'],
  ['Enter', 'open the machine in focus'],
  ['?', 'this list'],
  ['Esc', 'close a dialog, or leave the search'],
] as const;

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl className="keys">
        {KEYS.map(([key, text]) => (
          <div key={key}>
            <dt>
              {key.split(', ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div className="dialog-buttons">
        <button type="button" onClick={onClose} data-autofocus>
          Close
        </button>
      </div>
    </Dialog>
  );
}
