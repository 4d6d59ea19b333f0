import { useState } from 'react';
import type { SetKind, SetRow } from '../../decisions/sets/set.ts';
import { ConfirmDialog } from '../ConfirmDialog.tsx';

interface Props {
  readonly kind: SetKind;
  readonly set: SetRow;
  readonly onCancel: () => void;
  readonly onDelete: (policy: 'Background' | 'Orphan') => void;
}

/** Asks what becomes of the machines. */
export function DeleteSetDialog({ kind, set, onCancel, onDelete }: Props) {
  const [isOrphaning, setOrphaning] = useState(false);
  const { name, current } = set;
  const machines = current === 1 ? 'machine' : `${current} machines`;
  return (
    <ConfirmDialog
      title={`Delete ${kind.title} ${name}?`}
      button={`Delete ${name}`}
      isDanger
      wanted={isOrphaning || current === 0 ? undefined : name}
      onCancel={onCancel}
      onConfirm={() => onDelete(isOrphaning ? 'Orphan' : 'Background')}
    >
      <fieldset className="choices">
        <legend className="visually-hidden">Its machines</legend>
        <label>
          <input type="radio" name="machines" checked={!isOrphaning} onChange={() => setOrphaning(false)} />
          <span>Delete its {machines} too. What was written there is lost.</span>
        </label>
        <label>
          <input type="radio" name="machines" checked={isOrphaning} onChange={() => setOrphaning(true)} />
          <span>Keep its {machines} running. A set with the same selector adopts what it finds.</span>
        </label>
      </fieldset>
    </ConfirmDialog>
  );
}
