import { useEffect, useState } from 'react';
import { Refused } from '../../data/refused.ts';
import { moveText } from '../../decisions/migration.ts';
import type { Guest } from '../../decisions/nodes/guest.ts';
import type { NodeRow } from '../../decisions/nodes/node.ts';
import { offerOf } from '../../decisions/offers.ts';
import { ConfirmDialog } from '../ConfirmDialog.tsx';
import { useNotify } from '../Notices.tsx';
import { OfferButton } from '../OfferButton.tsx';
import { useMay, useSession } from '../session.tsx';
import { ACTIONS_PATH } from './useHasMaintenance.ts';

interface Props {
  readonly node: NodeRow;
  readonly guests: readonly Guest[];
}

/** Harvester's maintenance: the node is cordoned, and its machines move or shut down. */
export function MaintenancePanel({ node, guests }: Props) {
  const { api } = useSession().session;
  const may = useMay();
  const notify = useNotify();
  const isOut = node.maintenance === 'none';
  const action = isOut ? 'enableMaintenanceMode' : 'disableMaintenanceMode';
  const path = `${ACTIONS_PATH}/nodes/${encodeURIComponent(node.name)}`;
  const [isAsking, setAsking] = useState(false);
  const [isForced, setForced] = useState(false);
  // Machines that cannot move are shown in the dialog, where maintenance can be forced.
  const why = useImpossible(`${path}/maintenancePossible?force=true`, isOut, node);
  const permission = { verb: 'create', group: 'subresources.harvesterhci.io', resource: 'nodes', subresource: action };
  const offer = offerOf(may, permission, '', isOut ? why : undefined);

  const act = async (): Promise<void> => {
    setAsking(false);
    try {
      await api.request('POST', `${path}/${action}`, isOut && isForced ? { force: 'true' } : {});
      notify(`${node.name} ${isOut ? 'enters' : 'leaves'} maintenance.`);
    } catch (error) {
      notify(`Maintenance failed. ${error instanceof Error ? error.message : error}`, { isError: true });
    }
  };
  return (
    <>
      <div className="actions">
        <OfferButton offer={offer} onClick={() => (isOut ? setAsking(true) : void act())}>
          {isOut ? 'Enter maintenance' : 'Leave maintenance'}
        </OfferButton>
      </div>
      {node.maintenance === 'entering' && (
        <p role="status">
          {guests.length} {guests.length === 1 ? 'machine has' : 'machines have'} still to leave:{' '}
          {guests.map(({ name, move }) => `${name}${move ? ` (${moveText(move).toLowerCase()})` : ''}`).join(', ') ||
            'none'}
          .
        </p>
      )}
      {isAsking && (
        <ConfirmDialog
          title={`Put ${node.name} into maintenance?`}
          button="Enter maintenance"
          onCancel={() => setAsking(false)}
          onConfirm={() => void act()}
        >
          <p>No new machines start here. {guests.length} that run here move to other nodes, where they can.</p>
          <Unhealthy path={`${path}/listUnhealthyVM`} />
          <fieldset className="choices">
            <legend className="visually-hidden">Machines that cannot move</legend>
            <label>
              <input type="checkbox" checked={isForced} onChange={(event) => setForced(event.target.checked)} />
              <span>Shut down machines that cannot move.</span>
            </label>
          </fieldset>
        </ConfirmDialog>
      )}
    </>
  );
}

/** The server's reason why the node cannot enter maintenance now. */
function useImpossible(path: string, isOut: boolean, node: NodeRow): string | undefined {
  const { api } = useSession().session;
  const [why, setWhy] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a node that changes is asked about again
  useEffect(() => {
    if (!isOut) return;
    const stop = new AbortController();
    api
      .request('GET', path, undefined, stop.signal)
      .then(() => setWhy(undefined))
      .catch((error: unknown) => error instanceof Refused && error.code === 409 && setWhy(error.message));
    return () => stop.abort();
  }, [api, path, isOut, node.isReady, node.isCordoned]);
  return why;
}

/** The machines that cannot move, with the server's reasons. */
function Unhealthy({ path }: { readonly path: string }) {
  const { api } = useSession().session;
  const [groups, setGroups] = useState<readonly { condition?: string; message?: string; vms?: readonly string[] }[]>(
    [],
  );
  useEffect(() => {
    const stop = new AbortController();
    api
      .request<typeof groups>('GET', path, undefined, stop.signal)
      .then((answer) => setGroups(Array.isArray(answer) ? answer : []))
      .catch(() => setGroups([]));
    return () => stop.abort();
  }, [api, path]);
  if (groups.length === 0) return null;
  return (
    <ul className="names">
      {groups.map(({ condition, message, vms = [] }) => (
        <li key={`${condition}${message}`}>
          {vms.join(', ')}: {message || condition || 'cannot move'}
        </li>
      ))}
    </ul>
  );
}
