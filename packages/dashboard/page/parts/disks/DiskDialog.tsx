import { useState } from 'react';
import type { Vm } from '../../data/kinds.ts';
import { eject, unplug } from '../../decisions/disks/changes.ts';
import type { DiskLine } from '../../decisions/disks/lines.ts';
import type { Machine } from '../../decisions/machine.ts';
import { ActDialog } from './ActDialog.tsx';
import { InsertDialog } from './InsertDialog.tsx';
import { PlugDialog } from './PlugDialog.tsx';
import { useChange } from './useChange.ts';

/** What the user wants to do. */
export type Asked =
  | { readonly action: 'plug' }
  | { readonly action: 'unplug' | 'insert' | 'eject'; readonly name: string };

export interface DialogProps {
  readonly machine: Machine;
  readonly vm: Vm | undefined;
  readonly onClose: () => void;
}

interface Props extends DialogProps {
  readonly asked: Asked;
  readonly lines: readonly DiskLine[];
}

export const disksHref = ({ namespace, name }: Machine): string => `/machines/${namespace}/${name}/disks`;

/** The dialog for what was asked. */
export function DiskDialog({ asked, lines, ...props }: Props) {
  if (asked.action === 'plug') return <PlugDialog {...props} taken={lines.map(({ name }) => name)} />;
  const line = lines.find(({ name }) => name === asked.name);
  if (!line) return null;
  if (asked.action === 'insert') return <InsertDialog {...props} line={line} />;
  return asked.action === 'eject' ? <EjectDialog {...props} line={line} /> : <UnplugDialog {...props} line={line} />;
}

function UnplugDialog({ machine, vm, line, onClose }: DialogProps & { readonly line: DiskLine }) {
  const change = useChange();
  const { name, source } = line;
  const act = () =>
    change(unplug(machine, vm, name), {
      title: `Unplug ${name} of ${machine.name}`,
      done: machine.hasInstance ? `${name} is being unplugged.` : `${name} was removed from ${machine.name}.`,
      href: disksHref(machine),
    });
  return (
    <ActDialog title={`Unplug ${name}?`} button={`Unplug ${name}`} onClose={onClose} onAct={act}>
      <p>
        {machine.hasInstance
          ? 'The guest loses the disk at once. Unmount it there first.'
          : 'The machine starts without the disk.'}
      </p>
      <p>{source?.claim ? `The ${source.kind} ${source.name} stays, with its data.` : 'Nothing else is deleted.'}</p>
    </ActDialog>
  );
}

function EjectDialog({ machine, vm, line, onClose }: DialogProps & { readonly line: DiskLine }) {
  const change = useChange();
  const [isForced, setForced] = useState(false);
  const { name, source } = line;
  const act = () =>
    change(eject(machine, vm, name, isForced), {
      title: `Eject ${name} of ${machine.name}`,
      done: machine.hasInstance ? `The disc is being ejected from ${name}.` : `${name} is empty.`,
      href: disksHref(machine),
    });
  return (
    <ActDialog title={`Eject the disc from ${name}?`} button="Eject the disc" onClose={onClose} onAct={act}>
      {() => (
        <>
          <p>
            The drive stays{source?.claim && `, and so does the ${source.kind} ${source.name}`}.
            {machine.hasInstance && ' A guest that has the disc mounted locks the tray.'}
          </p>
          {machine.hasInstance && <ForceBox isForced={isForced} onChange={setForced} />}
        </>
      )}
    </ActDialog>
  );
}

/** Whether a tray is opened that the guest has locked. */
export function ForceBox({ isForced, onChange }: { isForced: boolean; onChange: (isForced: boolean) => void }) {
  return (
    <label className="act-check">
      <input type="checkbox" checked={isForced} onChange={(event) => onChange(event.target.checked)} />
      <span>
        Force the tray open
        <small className="muted">
          Also if the guest has locked it. The guest may go on showing what it has read until it unmounts the disc.
        </small>
      </span>
    </label>
  );
}
