import { type FormEvent, useState } from 'react';
import { type Action, buttonText, type Concerned, WORDS, wordsToType } from '../decisions/actions.ts';
import type { Machine } from '../decisions/machine.ts';
import { Dialog } from './Dialog.tsx';

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
const MOST_NAMES = 12;

/** Asks before something that interrupts or destroys: what happens to which machines and disks. */
export function AskDialog({ action, machines, forbidden, onCancel, onConfirm }: Props) {
  const [typed, setTyped] = useState('');
  const wanted = action === 'delete' ? wordsToType(machines) : undefined;
  const isConfirmed = wanted === undefined || typed === wanted;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isConfirmed) onConfirm();
  };
  return (
    <Dialog title={`${buttonText(action, machines)}?`} onClose={onCancel}>
      <form onSubmit={submit}>
        {(machines.length > 1 || forbidden.length > 0) && <Names machines={machines} />}
        {forbidden.length > 0 && (
          <>
            <p>Left out, because you are not allowed to do this with {forbidden.length === 1 ? 'it' : 'them'}:</p>
            <Names machines={forbidden} />
          </>
        )}
        {CONSEQUENCES[action] && <p>{CONSEQUENCES[action]}</p>}
        {action === 'delete' && <Disks machines={machines} />}
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

function Names({ machines }: { readonly machines: readonly Machine[] }) {
  return (
    <ul className="names">
      {machines.slice(0, MOST_NAMES).map(({ key }) => (
        <li key={key}>{key}</li>
      ))}
      {machines.length > MOST_NAMES && <li>and {machines.length - MOST_NAMES} more</li>}
    </ul>
  );
}

/** Which disks are deleted with the machines, and which stay. */
function Disks({ machines }: { readonly machines: readonly Machine[] }) {
  const own = machines.flatMap(({ namespace, ownDisks }) => ownDisks.map((name) => `${namespace}/${name}`));
  const other = machines.flatMap(({ namespace, otherDisks }) => otherDisks.map((name) => `${namespace}/${name}`));
  return (
    <>
      {own.length > 0 && (
        <p>
          Deleted with their data: {own.slice(0, MOST_NAMES).join(', ')}
          {own.length > MOST_NAMES && ' and more'}.
        </p>
      )}
      {other.length > 0 && (
        <p>
          These disks stay: {other.slice(0, MOST_NAMES).join(', ')}
          {other.length > MOST_NAMES && ' and more'}.
        </p>
      )}
      {own.length === 0 && other.length === 0 && (
        <p>No disk with data belongs to {machines.length === 1 ? 'it' : 'them'}.</p>
      )}
    </>
  );
}
