import { useState } from 'react';
import type { Vm, Vmi } from '../../data/kinds.ts';
import { freeName, nameProblem } from '../../decisions/disks/offers.ts';
import type { Machine } from '../../decisions/machine.ts';
import {
  cloneFor,
  forecastOf,
  restoreFor,
  snapshotFor,
  snapshotsPath,
  timestampedName,
} from '../../decisions/snapshots/requests.ts';
import { ActDialog } from '../disks/ActDialog.tsx';
import { Field } from '../disks/Field.tsx';
import { useObjects } from './useObjects.ts';

export type AskedSnapshot =
  | { readonly action: 'take' }
  | { readonly action: 'restore'; readonly snapshot: string }
  | { readonly action: 'delete'; readonly snapshot: string; readonly uid: string | undefined }
  | { readonly action: 'clone'; readonly snapshot: string | undefined };

interface Props {
  readonly machine: Machine;
  readonly vm: Vm | undefined;
  readonly vmi: Vmi | undefined;
  /** Names of snapshots that are there. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

/** The dialog for what was asked. */
export function SnapshotDialog({ asked, ...props }: Props & { readonly asked: AskedSnapshot }) {
  switch (asked.action) {
    case 'take':
      return <TakeDialog {...props} />;
    case 'clone':
      return <CloneDialog {...props} snapshot={asked.snapshot} />;
    case 'restore':
      return <RestoreDialog {...props} snapshot={asked.snapshot} />;
    case 'delete':
      return <DeleteDialog {...props} snapshot={asked.snapshot} uid={asked.uid} />;
  }
}

function TakeDialog({ machine, vm, vmi, taken, onClose }: Props) {
  const { create } = useObjects(machine);
  const [name, setName] = useState(() => timestampedName(machine.name, new Date()));
  const { included, excluded, consistency } = forecastOf(vm, vmi);
  return (
    <ActDialog
      title={`Take a snapshot of ${machine.name}`}
      button="Take the snapshot"
      problem={nameProblem(name, taken)}
      isForm
      onClose={onClose}
      onAct={() =>
        create(
          snapshotFor(machine, name),
          `Take snapshot ${name}`,
          `Snapshot ${name} of ${machine.name} is being taken.`,
        )
      }
    >
      <Field label="Name">
        {(props) => (
          <input
            {...props}
            data-autofocus
            value={name}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <p>{consistency}</p>
      <p>
        {included.length > 0
          ? `Disks in it: ${included.join(', ')}.`
          : 'No disk of the machine can be in it: only the configuration is kept.'}
        {excluded.length > 0 && ` Not in it: ${excluded.map((each) => each.name).join(', ')}.`}
      </p>
    </ActDialog>
  );
}

function RestoreDialog({ machine, snapshot, onClose }: Props & { readonly snapshot: string }) {
  const { create } = useObjects(machine);
  const [stops, setStops] = useState(false);
  const { name, hasInstance } = machine;
  return (
    <ActDialog
      title={`Restore ${name} from ${snapshot}?`}
      button={`Restore ${name}`}
      isDanger
      wanted={name}
      problem={hasInstance && !stops ? 'The machine must be off. Stop it, or let the server do so.' : undefined}
      onClose={onClose}
      onAct={() =>
        create(
          restoreFor(machine, snapshot, { stops, now: new Date() }),
          `Restore ${name} from ${snapshot}`,
          `${name} is being restored from ${snapshot}.`,
        )
      }
    >
      <p>
        Disks and configuration go back to that moment. What the guest has written to these disks since then{' '}
        <strong>is lost</strong>. Disks that are not in the snapshot stay as they are.
      </p>
      {hasInstance && (
        <label className="act-check">
          <input type="checkbox" checked={stops} onChange={(event) => setStops(event.target.checked)} />
          <span>
            Stop the machine first
            <small className="muted">It stays stopped afterwards: start it when the restore is complete.</small>
          </span>
        </label>
      )}
    </ActDialog>
  );
}

function CloneDialog({ machine, snapshot, onClose }: Props & { readonly snapshot: string | undefined }) {
  const { create } = useObjects(machine);
  const [target, setTarget] = useState(() => freeName(`${machine.name}-copy`, []));
  return (
    <ActDialog
      title={snapshot ? `Clone ${snapshot}` : `Clone ${machine.name}`}
      button="Make the clone"
      problem={nameProblem(target, [machine.name])}
      isForm
      onClose={onClose}
      onAct={() =>
        create(cloneFor(machine, snapshot, target, new Date()), `Clone ${target}`, `${target} is being made.`)
      }
    >
      <Field label="Name of the new machine">
        {(props) => (
          <input
            {...props}
            data-autofocus
            value={target}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTarget(event.target.value)}
          />
        )}
      </Field>
      <p>
        The clone has copies of the disks, and new MAC addresses and a new serial number. It is not started.
        {snapshot === undefined && machine.hasInstance && ' The machine goes on running: a snapshot is taken for it.'}
      </p>
    </ActDialog>
  );
}

function DeleteDialog({
  machine,
  snapshot,
  uid,
  onClose,
}: Props & { readonly snapshot: string; readonly uid: string | undefined }) {
  const { remove } = useObjects(machine);
  return (
    <ActDialog
      title={`Delete snapshot ${snapshot}?`}
      button={`Delete ${snapshot}`}
      isDanger
      wanted={snapshot}
      onClose={onClose}
      onAct={() =>
        remove(
          { path: `${snapshotsPath(machine.namespace)}/${encodeURIComponent(snapshot)}`, uid },
          `Delete snapshot ${snapshot}`,
          `Snapshot ${snapshot} is being deleted.`,
        )
      }
    >
      <p>The machine and its disks stay. What only the snapshot holds is lost.</p>
    </ActDialog>
  );
}
