import { useMemo, useState } from 'react';
import type { Condition } from '../../data/kinds.ts';
import { changePermission } from '../../decisions/disks/changes.ts';
import { disksOf } from '../../decisions/disks/lines.ts';
import { machineObstacle } from '../../decisions/disks/offers.ts';
import { offerOf } from '../../decisions/offers.ts';
import type { EventTabProps } from '../../pages/Machine.tsx';
import '../../styles/disks.css';
import { OfferButton } from '../OfferButton.tsx';
import { useMay } from '../session.tsx';
import { type Asked, DiskDialog } from './DiskDialog.tsx';
import { DiskEvents } from './DiskEvents.tsx';
import { DiskTable } from './DiskTable.tsx';
import { useClaims, useFilesystems } from './useStorage.ts';

/** Disks and drives of a machine: what they are, how they are doing, and plugging them in and out. */
export default function Disks({ machine, vm, vmi, events }: EventTabProps) {
  const may = useMay();
  const claims = useClaims(machine.namespace);
  const filesystems = useFilesystems(vmi);
  const [asked, setAsked] = useState<Asked>();
  const lines = useMemo(() => disksOf(vm, vmi, claims.rows, filesystems), [vm, vmi, claims.rows, filesystems]);
  const obstacle = machineObstacle(machine, vm);
  const add = offerOf(may, changePermission(machine, 'addvolume'), machine.namespace, obstacle);
  const hasDrive = lines.some(({ kind }) => kind === 'cdrom');
  return (
    <div className="disks">
      <div className="toolbar">
        <OfferButton offer={add} onClick={() => setAsked({ action: 'plug' })}>
          Plug in a disk…
        </OfferButton>
        <span className="muted">
          {machine.hasInstance
            ? 'The machine runs: changes take effect at once.'
            : 'The machine is off: changes take effect when it starts.'}
        </span>
      </div>
      <Problems conditions={[...(vm?.status?.conditions ?? []), ...(vmi?.status?.conditions ?? [])]} />
      {lines.length === 0 ? (
        <p className="muted">The machine has no disks.</p>
      ) : (
        <DiskTable lines={lines} machine={machine} vm={vm} onAsk={setAsked} />
      )}
      {claims.state.kind === 'refused' && (
        <p className="muted">Sizes and classes of claims are not shown: {claims.state.reason}</p>
      )}
      {!hasDrive && (
        <p className="muted">
          To insert discs, add a CD-ROM drive to the VM’s disks, such as{' '}
          <code>{'{name: cdrom, cdrom: {bus: sata}}'}</code>, and restart it.
        </p>
      )}
      <DiskEvents name={machine.name} events={events} />
      {asked && (
        <DiskDialog asked={asked} lines={lines} machine={machine} vm={vm} onClose={() => setAsked(undefined)} />
      )}
    </div>
  );
}

/** What keeps disks from being as the spec wants them. */
function Problems({ conditions }: { readonly conditions: readonly Condition[] }) {
  const told = conditions.filter(
    ({ type, status, reason }) =>
      (type === 'MediaSynchronized' && status === 'False') || (status === 'True' && reason === 'HotPlugVolumeError'),
  );
  const messages = [...new Set(told.flatMap(({ message, reason }) => message ?? reason ?? []))];
  return messages.map((message) => (
    <p key={message} className="callout callout-err" role="status">
      {message}
    </p>
  ));
}
