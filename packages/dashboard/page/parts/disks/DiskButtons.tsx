import type { Vm } from '../../data/kinds.ts';
import { changePermission } from '../../decisions/disks/changes.ts';
import type { DiskLine } from '../../decisions/disks/lines.ts';
import { ejectObstacle, insertObstacle, machineObstacle, unplugObstacle } from '../../decisions/disks/offers.ts';
import type { Machine } from '../../decisions/machine.ts';
import { offerOf } from '../../decisions/offers.ts';
import { OfferButton } from '../OfferButton.tsx';
import { useMay } from '../session.tsx';
import type { Asked } from './DiskDialog.tsx';

interface Props {
  readonly line: DiskLine;
  readonly machine: Machine;
  readonly vm: Vm | undefined;
  readonly onAsk: (asked: Asked) => void;
}

/** What can be done with one disk or drive. */
export function DiskButtons({ line, machine, vm, onAsk }: Props) {
  const may = useMay();
  const general = machineObstacle(machine, vm);
  const offer = (action: 'addvolume' | 'removevolume', obstacle: string | undefined) =>
    offerOf(may, changePermission(machine, action), machine.namespace, general ?? obstacle);
  const { name } = line;
  if (line.kind !== 'cdrom')
    return (
      <div className="actions">
        <OfferButton
          offer={offer('removevolume', unplugObstacle(line, machine))}
          onClick={() => onAsk({ action: 'unplug', name })}
        >
          Unplug…<span className="visually-hidden"> {name}</span>
        </OfferButton>
      </div>
    );
  return (
    <div className="actions">
      <OfferButton
        offer={offer('addvolume', insertObstacle(line, machine))}
        onClick={() => onAsk({ action: 'insert', name })}
      >
        {line.source ? 'Change disc…' : 'Insert disc…'}
        <span className="visually-hidden"> in {name}</span>
      </OfferButton>
      <OfferButton
        offer={offer('removevolume', ejectObstacle(line, machine))}
        onClick={() => onAsk({ action: 'eject', name })}
      >
        Eject…<span className="visually-hidden"> {name}</span>
      </OfferButton>
    </div>
  );
}
