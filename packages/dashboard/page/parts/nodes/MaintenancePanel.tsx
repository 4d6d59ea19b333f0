import { useEffect, useState } from 'react';
import { Refused } from '../../data/refused.ts';
import type { Guest } from '../../decisions/nodes/guest.ts';
import { leavingText, obstaclesOf, reasonIn, type UnhealthyGroup } from '../../decisions/nodes/maintenance.ts';
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
      notify(`Maintenance failed. ${error instanceof Error ? reasonIn(error.message) : error}`, { isError: true });
    }
  };
  return (
    <>
      <div className="actions">
        <OfferButton offer={offer} onClick={() => (isOut ? setAsking(true) : void act())}>
          {isOut ? 'Enter maintenance' : 'Leave maintenance'}
        </OfferButton>
      </div>
      {node.maintenance === 'entering' && <p role="status">{leavingText(guests)}</p>}
      {isAsking && (
        <ConfirmDialog
          title={`Put ${node.name} into maintenance?`}
          button="Enter maintenance"
          onCancel={() => setAsking(false)}
          onConfirm={() => void act()}
        >
          <p>No new machines start here, and those that run here migrate to other nodes.</p>
          <Obstacles path={`${path}/listUnhealthyVM`} guests={guests} />
          <fieldset className="choices">
            <legend className="visually-hidden">Machines that cannot migrate</legend>
            <label>
              <input type="checkbox" checked={isForced} onChange={(event) => setForced(event.target.checked)} />
              <span>Shut down machines that cannot migrate. They stay off after maintenance.</span>
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
      .catch((error: unknown) => error instanceof Refused && error.code === 409 && setWhy(reasonIn(error.message)));
    return () => stop.abort();
  }, [api, path, isOut, node.isReady, node.isCordoned]);
  return why;
}

/** The machines that cannot migrate, and why. */
function Obstacles({ path, guests }: { readonly path: string; readonly guests: readonly Guest[] }) {
  const { api } = useSession().session;
  const [groups, setGroups] = useState<readonly UnhealthyGroup[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    api
      .request<readonly UnhealthyGroup[]>('GET', path, undefined, stop.signal)
      .then((answer) => setGroups(Array.isArray(answer) ? answer : []))
      .catch(() => setGroups([]));
    return () => stop.abort();
  }, [api, path]);
  const obstacles = obstaclesOf(groups, guests);
  if (obstacles.length === 0) return null;
  return (
    <>
      <p>These machines cannot migrate:</p>
      <ul className="names">
        {obstacles.map(({ machines, why }) => (
          <li key={why}>
            {machines.join(', ')}: {why}
          </li>
        ))}
      </ul>
    </>
  );
}
