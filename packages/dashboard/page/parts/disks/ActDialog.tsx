import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Dialog } from '../Dialog.tsx';

interface Props {
  readonly title: string;
  /** Verb and object. */
  readonly button: string;
  readonly isDanger?: boolean;
  /** Why the form cannot be sent yet. */
  readonly problem?: string | undefined;
  /** What must be typed first, where data is lost. */
  readonly wanted?: string;
  /** Whether a field of the form, not Cancel, has the focus at first: where nothing is lost. */
  readonly isForm?: boolean;
  readonly onClose: () => void;
  /** Rejects with the server's words; the dialog then stays, with what was entered. */
  readonly onAct: () => Promise<unknown>;
  /** Given the last refusal, for what only makes sense after it. */
  readonly children: ReactNode | ((refusal: string | undefined) => ReactNode);
}

/** A dialog that does something, and stays open with the server's words if that is refused. */
export function ActDialog({ title, button, isDanger, problem, wanted, isForm, onClose, onAct, children }: Props) {
  const [typed, setTyped] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const ids = useId();
  const isConfirmed = wanted === undefined || typed === wanted;
  const isReady = !isBusy && isConfirmed && problem === undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    setBusy(true);
    onAct().then(onClose, (error: unknown) => {
      setBusy(false);
      setRefusal(error instanceof Error ? error.message : String(error));
    });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className="act-form">
        {typeof children === 'function' ? children(refusal) : children}
        {wanted !== undefined && (
          <p>
            <label htmlFor={`${ids}-typed`}>
              To confirm, type <strong>{wanted}</strong>
            </label>
            <input
              id={`${ids}-typed`}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          </p>
        )}
        <div role="alert">{refusal && <p className="callout callout-err act-refusal">{refusal}</p>}</div>
        {problem && (
          <p className="muted act-problem" id={`${ids}-problem`}>
            {problem}
          </p>
        )}
        <div className="dialog-buttons">
          <button type="button" onClick={onClose} {...(!isForm && { 'data-autofocus': true })}>
            Cancel
          </button>
          <button
            type="submit"
            className={isDanger ? 'danger primary' : 'primary'}
            aria-disabled={!isReady}
            aria-describedby={problem ? `${ids}-problem` : undefined}
          >
            {isBusy ? `${button}…` : button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
