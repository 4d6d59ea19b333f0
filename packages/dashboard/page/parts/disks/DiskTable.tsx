import { Link } from 'wouter';
import type { Vm } from '../../data/kinds.ts';
import type { DiskLine } from '../../decisions/disks/lines.ts';
import type { Machine } from '../../decisions/machine.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { Badge } from '../Badge.tsx';
import { Meter } from '../Meter.tsx';
import { DiskButtons } from './DiskButtons.tsx';
import type { Asked } from './DiskDialog.tsx';

interface Props {
  readonly lines: readonly DiskLine[];
  readonly machine: Machine;
  readonly vm: Vm | undefined;
  readonly onAsk: (asked: Asked) => void;
}

const KINDS = {
  disk: 'Disk',
  cdrom: 'CD-ROM drive',
  lun: 'LUN',
  filesystem: 'Shared directory',
  volume: 'Volume',
} as const;
const HEADS = ['Disk', 'Kind', 'Source', 'Size', 'State', 'Actions'];

export function DiskTable({ lines, machine, vm, onAsk }: Props) {
  return (
    <div className="sheet-scroll" tabIndex={0} role="region" aria-label="Disks">
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
              <th scope="row" data-label="Disk">
                {line.name}
                {line.device && <small className="muted">device {line.device}</small>}
              </th>
              <td data-label="Kind">
                {KINDS[line.kind]}
                <small className="muted">
                  {[line.bus, line.isHotpluggable && 'hotpluggable', line.bootOrder && `boot order ${line.bootOrder}`]
                    .filter(Boolean)
                    .join(', ')}
                </small>
              </td>
              <td data-label="Source">
                <Source line={line} namespace={machine.namespace} />
              </td>
              <td data-label="Size">
                <Size line={line} />
              </td>
              <td data-label="State" className="sheet-state">
                <Badge tone={line.state.tone}>{line.state.label}</Badge>
                {line.tray === 'open' && <small className="muted">The tray is open.</small>}
                {line.state.reason && <small>{line.state.reason}</small>}
              </td>
              <td data-label="Actions">
                <DiskButtons line={line} machine={machine} vm={vm} onAsk={onAsk} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Source({ line: { source, kind }, namespace }: { readonly line: DiskLine; readonly namespace: string }) {
  if (!source) return <span className="muted">{kind === 'cdrom' ? 'no disc' : 'none'}</span>;
  return (
    <>
      {source.claim ? (
        <Link href={`/images?q=${encodeURIComponent(source.claim)}&ns=${encodeURIComponent(namespace)}`}>
          {source.name}
        </Link>
      ) : (
        source.name
      )}
      {source.name ? <small className="muted">{source.kind}</small> : source.kind}
    </>
  );
}

const ALMOST_FULL = 0.9;

function Size({ line: { sizeBytes, used, storageClass } }: { readonly line: DiskLine }) {
  if (sizeBytes === undefined && !used) return <>–</>;
  return (
    <>
      {sizeBytes !== undefined && formatBytes(sizeBytes)}
      {storageClass && <small className="muted">class {storageClass}</small>}
      {used && (
        <Meter
          label="Used in the guest"
          value={used.usedBytes}
          max={used.totalBytes}
          text={`${formatBytes(used.usedBytes)} of ${formatBytes(used.totalBytes)} used`}
          tone={used.usedBytes > ALMOST_FULL * used.totalBytes ? 'err' : 'busy'}
        />
      )}
    </>
  );
}
