import { type FormEvent, useState } from 'react';
import { type Action, buttonText, type Concerned, WORDS } from '../decisions/actions.ts';
import { lossesOf, wordsToType } from '../decisions/deletion.ts';
import type { Machine } from '../decisions/machine.ts';
import { DeleteConsequences } from './DeleteConsequences.tsx';
import { Dialog } from './Dialog.tsx';
import { Names } from './Names.tsx';
import { useBelongings } from './useBelongings.ts';

interface Props extends Concerned {
  readonly action: Action;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}

const CONSEQUENCES: Readonly<Partial<Record<Action, string>>> = {
  stop: 'The guest is asked to shut down, and powered off if it does not within its grace period.',
  forceOff:
    'The guest is powered off at once, as if its power were cut. What it has not written to its disks yet is lost, and its file systems may need a repair.',
  restart: 'The guest is asked to shut down, and starts again.',
};
const keyOf = ({ key }: Machine): string => key;

/** Asks before something that interrupts or destroys: what happens to which machines and disks. */
export function AskDialog({ action, machines, forbidden, onCancel, onConfirm }: Props) {
  const [typed, setTyped] = useState('');
  const isDelete = action === 'delete';
  const belongings = useBelongings(machines, isDelete);
  const losses = belongings && lossesOf(machines, belongings);
  const wanted = isDelete && losses ? wordsToType(machines, losses) : undefined;
  const isConfirmed = losses !== undefined && (wanted === undefined || typed === wanted);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isConfirmed) onConfirm();
  };
  return (
    <Dialog title={`${buttonText(action, machines)}?`} onClose={onCancel}>
      <form onSubmit={submit}>
        {(machines.length > 1 || forbidden.length > 0) && (
          <Names title={`${WORDS[action].verb}:`} names={machines.map(keyOf)} />
        )}
        <Names title="Left out, because you are not allowed to do this with them:" names={forbidden.map(keyOf)} />
        {CONSEQUENCES[action] && <p>{CONSEQUENCES[action]}</p>}
        {isDelete && !losses && <p role="status">Reading which disks and snapshots are deleted…</p>}
        {isDelete && losses && <DeleteConsequences losses={losses} troubles={belongings.troubles} />}
        {wanted !== undefined && (
          <p>
            <label htmlFor="confirm">
              Data will be lost. To confirm, type <strong>{wanted}</strong>
            </label>
            <input
              id="confirm"
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
          <button
            type="submit"
            className={WORDS[action].isDanger ? 'danger primary' : 'primary'}
            aria-disabled={!isConfirmed}
          >
            {buttonText(action, machines)}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
