import { useMemo, useState } from 'react';
import { whole } from '../../data/kinds.ts';
import type { VmClone, VmRestore, VmSnapshot, VmSnapshotContent } from '../../data/snapshotKinds.ts';
import { offerOf } from '../../decisions/offers.ts';
import { clonesOf, restoresOf, snapshotsOf } from '../../decisions/snapshots/lines.ts';
import {
  clonesPath,
  contentsPath,
  PERMISSIONS,
  restoresPath,
  snapshotsPath,
  takeObstacle,
} from '../../decisions/snapshots/requests.ts';
import type { TabProps } from '../../pages/Machine.tsx';
import '../../styles/disks.css';
import '../../styles/network.css';
import { OfferButton } from '../OfferButton.tsx';
import { useCollection, useMay } from '../session.tsx';
import { Unreadable } from '../Unreadable.tsx';
import { useAsked } from '../useAsked.ts';
import { Jobs } from './Jobs.tsx';
import { type AskedSnapshot, SnapshotDialog } from './SnapshotDialog.tsx';
import { SnapshotTable } from './SnapshotTable.tsx';

/** Snapshots of a machine: which moment, which disks; taking, restoring, cloning and deleting them. */
export default function Snapshots({ machine, vm, vmi }: TabProps) {
  const may = useMay();
  const { namespace, name } = machine;
  const snapshots = useCollection<VmSnapshot, VmSnapshot>(snapshotsPath(namespace), whole);
  const contents = useCollection<VmSnapshotContent, VmSnapshotContent>(contentsPath(namespace), whole);
  const restores = useCollection<VmRestore, VmRestore>(restoresPath(namespace), whole);
  const clones = useCollection<VmClone, VmClone>(clonesPath(namespace), whole);
  const [asked, setAsked] = useState<AskedSnapshot>();
  const lines = useMemo(() => snapshotsOf(snapshots.rows, contents.rows, name), [snapshots.rows, contents.rows, name]);
  const jobs = useMemo(
    () => [
      ...restoresOf(restores.rows, name),
      ...clonesOf(
        clones.rows,
        name,
        lines.map((line) => line.name),
      ),
    ],
    [restores.rows, clones.rows, lines, name],
  );
  const obstacle = takeObstacle(machine, vm);
  const take = offerOf(may, PERMISSIONS.take, namespace, obstacle);
  const clone = offerOf(may, PERMISSIONS.clone, namespace, obstacle);
  const askTake = (): void => setAsked({ action: 'take' });
  const askClone = (): void => setAsked({ action: 'clone', snapshot: undefined });
  useAsked('take', take, askTake);
  useAsked('clone', clone, askClone);
  const hasNone = snapshots.state.kind === 'refused' && snapshots.state.code === 404;
  return (
    <div className="snapshots">
      {!hasNone && (
        <div className="toolbar">
          <OfferButton offer={take} onClick={askTake}>
            Take a snapshot…
          </OfferButton>
          <OfferButton offer={clone} onClick={askClone}>
            Clone the machine…
          </OfferButton>
        </div>
      )}
      <Unreadable state={snapshots.state} what="Snapshots" remedy="Ask an administrator for the role view." />
      {snapshots.state.kind === 'live' && lines.length === 0 && (
        <div className="empty">
          <h2>No snapshots of {name}</h2>
          <p>A snapshot keeps the configuration and the disks of one moment, to go back to or to clone.</p>
        </div>
      )}
      {lines.length > 0 && <SnapshotTable lines={lines} machine={machine} obstacle={obstacle} onAsk={setAsked} />}
      <Jobs jobs={jobs} namespace={namespace} />
      {asked && (
        <SnapshotDialog
          asked={asked}
          machine={machine}
          vm={vm}
          vmi={vmi}
          taken={lines.map((line) => line.name)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}
