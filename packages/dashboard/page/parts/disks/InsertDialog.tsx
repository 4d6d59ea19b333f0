import { useState } from 'react';
import { insert, type VolumeSource } from '../../decisions/disks/changes.ts';
import type { DiskLine } from '../../decisions/disks/lines.ts';
import { ActDialog } from './ActDialog.tsx';
import { type DialogProps, disksHref, ForceBox } from './DiskDialog.tsx';
import { SourceField } from './SourceField.tsx';
import { useChange } from './useChange.ts';

/** Puts a disc into a drive, or another one in its place. */
export function InsertDialog({ machine, vm, line, onClose }: DialogProps & { readonly line: DiskLine }) {
  const change = useChange();
  const [source, setSource] = useState<VolumeSource>();
  const [isForced, setForced] = useState(false);
  const { name: drive, source: inside } = line;
  const replace = inside !== undefined;
  const act = async (): Promise<void> => {
    if (!source) return;
    await change(insert(machine, vm, drive, source, { replace, force: isForced }), {
      title: `Insert ${source.name} into ${drive} of ${machine.name}`,
      done: machine.hasInstance
        ? `${source.name} is being inserted into ${drive}.`
        : `${source.name} will be in ${drive} when ${machine.name} starts.`,
      href: disksHref(machine),
    });
  };
  return (
    <ActDialog
      title={replace ? `Change the disc in ${drive}` : `Insert a disc into ${drive}`}
      button={replace ? 'Change the disc' : 'Insert the disc'}
      problem={source ? undefined : 'Choose a disc.'}
      isForm
      onClose={onClose}
      onAct={act}
    >
      {replace && (
        <p>
          The disc {inside.name} is ejected; its {inside.kind} stays.
        </p>
      )}
      <SourceField label="Disc" namespace={machine.namespace} vm={vm} value={source} onChange={setSource} />
      <p className="muted">A disc is a claim or a DataVolume with an ISO image, in namespace {machine.namespace}.</p>
      {replace && machine.hasInstance && <ForceBox isForced={isForced} onChange={setForced} />}
    </ActDialog>
  );
}
