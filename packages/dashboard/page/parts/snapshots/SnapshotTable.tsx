import type { Machine } from '../../decisions/machine.ts';
import { offerOf } from '../../decisions/offers.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import type { SnapshotLine } from '../../decisions/snapshots/lines.ts';
import { PERMISSIONS } from '../../decisions/snapshots/requests.ts';
import { formatTime } from '../../decisions/times.ts';
import { Age } from '../Age.tsx';
import { Badge } from '../Badge.tsx';
import { OfferButton } from '../OfferButton.tsx';
import { useMay, useNow } from '../session.tsx';
import type { AskedSnapshot } from './SnapshotDialog.tsx';

interface Props {
  readonly lines: readonly SnapshotLine[];
  readonly machine: Machine;
  /** Why nothing can be done with the machine's snapshots now. */
  readonly obstacle: string | undefined;
  readonly onAsk: (asked: AskedSnapshot) => void;
}

const HEADS = ['Snapshot', 'Moment', 'Disks', 'State', 'Actions'];

export function SnapshotTable({ lines, machine, obstacle, onAsk }: Props) {
  const now = useNow(1_000);
  return (
    <div className="sheet-scroll" tabIndex={0} role="region" aria-label="Snapshots">
      <table className="sheet">
        <thead>
          <tr>
            {HEADS.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.name}>
              <th scope="row" data-label="Snapshot">
                {line.name}
              </th>
              <td data-label="Moment">
                {line.takenAt ? (
                  <>
                    {formatTime(line.takenAt)}
                    <small className="muted">
                      <Age time={line.takenAt} now={now} /> ago
                    </small>
                  </>
                ) : (
                  'not taken yet'
                )}
              </td>
              <td data-label="Disks">
                <Contents line={line} />
              </td>
              <td data-label="State" className="sheet-state">
                <Badge tone={line.state.tone}>{line.state.label}</Badge>
                {line.state.reason && <small>{line.state.reason}</small>}
                {line.notes.map(({ word, text, isWarning }) => (
                  <small key={word} className={isWarning ? 'note-warning' : 'muted'} title={word}>
                    {text}
                  </small>
                ))}
              </td>
              <td data-label="Actions">
                <SnapshotButtons line={line} machine={machine} obstacle={obstacle} onAsk={onAsk} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Contents({ line: { included, excluded, sizeBytes, isReady } }: { readonly line: SnapshotLine }) {
  return (
    <>
      {included.length > 0 ? included.join(', ') : isReady ? 'none' : '–'}
      {sizeBytes !== undefined && <small className="muted">{formatBytes(sizeBytes)}</small>}
      {excluded.length > 0 && <small className="muted">without {excluded.join(', ')}</small>}
    </>
  );
}

function SnapshotButtons({
  line,
  machine: { namespace },
  obstacle,
  onAsk,
}: Omit<Props, 'lines'> & { readonly line: SnapshotLine }) {
  const may = useMay();
  const { name } = line;
  const deleting = line.isDeleting ? 'It is being deleted.' : undefined;
  const usable = deleting ?? obstacle ?? (line.isReady ? undefined : 'It is not ready.');
  return (
    <div className="actions">
      <OfferButton
        offer={offerOf(may, PERMISSIONS.restore, namespace, usable)}
        onClick={() => onAsk({ action: 'restore', snapshot: name })}
      >
        Restore…<span className="visually-hidden"> {name}</span>
      </OfferButton>
      <OfferButton
        offer={offerOf(may, PERMISSIONS.clone, namespace, usable)}
        onClick={() => onAsk({ action: 'clone', snapshot: name })}
      >
        Clone…<span className="visually-hidden"> {name}</span>
      </OfferButton>
      <OfferButton
        className="danger"
        offer={offerOf(may, PERMISSIONS.delete, namespace, deleting)}
        onClick={() => onAsk({ action: 'delete', snapshot: name, uid: line.uid })}
      >
        Delete…<span className="visually-hidden"> {name}</span>
      </OfferButton>
    </div>
  );
}
