import { pastedLines } from '../../decisions/consoles/serialKeys.ts';
import { Dialog } from '../Dialog.tsx';

interface Props {
  readonly text: string;
  readonly onCancel: () => void;
  readonly onPaste: () => void;
}

/** Asks before several lines are pasted: a shell runs each of them at once. */
export function PasteWarning({ text, onCancel, onPaste }: Props) {
  const count = pastedLines(text);
  return (
    <Dialog title={`Paste ${count} lines?`} onClose={onCancel}>
      <p>A shell runs each line as soon as it gets it.</p>
      <pre className="paste-preview">{text.slice(0, 2_000)}</pre>
      {text.length > 2_000 && <p className="muted">… and {text.length - 2_000} more characters.</p>}
      <div className="dialog-buttons">
        <button type="button" onClick={onCancel} data-autofocus>
          Cancel
        </button>
        <button type="button" className="primary" onClick={onPaste}>
          Paste {count} lines
        </button>
      </div>
    </Dialog>
  );
}
