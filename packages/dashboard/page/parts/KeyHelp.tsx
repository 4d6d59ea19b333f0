import { Dialog } from './Dialog.tsx';

const KEYS = [
  ['/', 'search machines'],
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
              <kbd>{key}</kbd>
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
