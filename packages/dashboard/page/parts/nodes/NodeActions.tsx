import { useState } from 'react';
import type { Guest } from '../../decisions/nodes/guest.ts';
import type { NodeRow } from '../../decisions/nodes/node.ts';
import { offerOf } from '../../decisions/offers.ts';
import { useNotify } from '../Notices.tsx';
import { OfferButton } from '../OfferButton.tsx';
import { useMay, useSession } from '../session.tsx';
import { DrainPanel } from './DrainPanel.tsx';
import { MaintenancePanel } from './MaintenancePanel.tsx';
import { useHasMaintenance } from './useHasMaintenance.ts';

interface Props {
  readonly node: NodeRow;
  readonly guests: readonly Guest[];
}

/** Cordon and uncordon, and emptying the node: by Harvester's maintenance where the server has it, else by evictions. */
export function NodeActions({ node, guests }: Props) {
  const { api } = useSession().session;
  const may = useMay();
  const notify = useNotify();
  const hasMaintenance = useHasMaintenance();
  const [isBusy, setBusy] = useState(false);
  const inMaintenance = node.maintenance === 'none' ? undefined : 'The node is in maintenance: end that first.';
  const offer = offerOf(may, { verb: 'patch', group: '', resource: 'nodes' }, '', inMaintenance);

  const setCordoned = async (isCordoned: boolean): Promise<void> => {
    setBusy(true);
    try {
      await api.patch(`/api/v1/nodes/${encodeURIComponent(node.name)}`, [
        { op: 'add', path: '/spec/unschedulable', value: isCordoned },
      ]);
      notify(`${node.name} is ${isCordoned ? 'cordoned: no new machines start there' : 'uncordoned'}.`);
    } catch (error) {
      notify(`${isCordoned ? 'Cordon' : 'Uncordon'} failed. ${error instanceof Error ? error.message : error}`, {
        isError: true,
      });
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="card" aria-label="Scheduling and maintenance">
      <div className="card-head">
        <h2>Scheduling and maintenance</h2>
        <OfferButton offer={isBusy ? { isOffered: false } : offer} onClick={() => void setCordoned(!node.isCordoned)}>
          {node.isCordoned ? 'Uncordon' : 'Cordon'}
        </OfferButton>
      </div>
      <p className="muted">
        {node.isCordoned ? 'No new machines start here.' : 'New machines may start here.'}
        {node.maintenance === 'none' && ' Those that run stay.'}
      </p>
      {hasMaintenance === true && <MaintenancePanel node={node} guests={guests} />}
      {hasMaintenance === false && <DrainPanel node={node} />}
    </section>
  );
}
