import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Dialog } from './Dialog.tsx';

interface Props {
  readonly title: string;
  /** Verb and object. */
  readonly button: string;
  readonly isDanger?: boolean;
  /** What must be typed first, where something is lost. */
  readonly wanted?: string | undefined;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
  readonly children?: ReactNode;
}

/** Asks before something that interrupts or destroys. Cancel has the focus. */
export function ConfirmDialog({ title, button, isDanger = false, wanted, onCancel, onConfirm, children }: Props) {
  const [typed, setTyped] = useState('');
  const field = useId();
  const isConfirmed = wanted === undefined || typed === wanted;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isConfirmed) onConfirm();
  };
  return (
    <Dialog title={title} onClose={onCancel}>
      <form onSubmit={submit}>
        {children}
        {wanted !== undefined && (
          <p>
            <label htmlFor={field}>
              To confirm, type <strong>{wanted}</strong>
            </label>
            <input
              id={field}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          </p>
        )}
        <div className="dialog-buttons">
          <button type="button" onClick={onCancel} data-autofocus>
            Cancel
          </button>
          <button type="submit" className={isDanger ? 'danger primary' : 'primary'} aria-disabled={!isConfirmed}>
            {button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
