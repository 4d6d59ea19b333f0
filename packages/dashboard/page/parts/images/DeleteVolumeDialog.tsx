import { type FormEvent, useState } from 'react';
import { deleteExactly } from '../../data/deleteExactly.ts';
import { Refused } from '../../data/refused.ts';
import { consequencesOf, losesData, pathOf } from '../../decisions/images/deleting.ts';
import type { Volume } from '../../decisions/images/volumes.ts';
import { Dialog } from '../Dialog.tsx';
import { useNotify } from '../Notices.tsx';
import { useSession } from '../session.tsx';

interface Props {
  readonly volume: Volume;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}

/** Asks before a volume is deleted: what goes, what stays, and who is left without it. */
export function DeleteVolumeDialog({ volume, onClose, onDeleted }: Props) {
  const { session } = useSession();
  const notify = useNotify();
  const [typed, setTyped] = useState('');
  const [failure, setFailure] = useState<string>();
  const { kind, namespace, name } = volume;
  // The one that was asked about, also if another one gets its name while the dialog is open.
  const [{ uid }] = useState(volume);
  const mustType = losesData(volume);
  const isConfirmed = !mustType || typed === name;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isConfirmed) return;
    deleteExactly(session.api, pathOf(kind, namespace, name), uid).then(
      () => {
        notify(`${name} is being deleted.`);
        onClose();
        onDeleted?.();
      },
      (error: unknown) => {
        if (error instanceof Refused && error.code === 403) session.rights.forget();
        setFailure(error instanceof Error ? error.message : String(error));
      },
    );
  };
  return (
    <Dialog title={`Delete ${volume.displayName ?? name}?`} onClose={onClose}>
      <form onSubmit={submit}>
        {consequencesOf(volume).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {mustType && (
          <p>
            <label htmlFor="confirm-volume">
              Data will be lost. To confirm, type <strong>{name}</strong>
            </label>
            <input
              id="confirm-volume"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          </p>
        )}
        {failure && (
          <p className="problem" role="alert">
            {failure}
          </p>
        )}
        <div className="dialog-buttons">
          <button type="button" onClick={onClose} data-autofocus>
            Cancel
          </button>
          <button type="submit" className="danger primary" aria-disabled={!isConfirmed}>
            Delete {kind === 'DataSource' ? 'DataSource' : volume.what} {name}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
