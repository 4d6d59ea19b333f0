import { whole } from '../../data/kinds.ts';
import { classUsage, nodeRooms, type StorageCapacity, type StorageNode } from '../../decisions/images/usage.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { useSession } from '../session.tsx';
import { useListed } from './useListed.ts';
import { useClasses, type Volumes } from './useVolumes.ts';

const room = ({ metadata, status }: StorageNode): StorageNode => ({
  metadata,
  ...(status?.capacity && { status: { capacity: status.capacity } }),
});

/** How much of each class has been given out, and how much room is left. */
export function Usage({ volumes }: { readonly volumes: Volumes }) {
  const { namespace } = useSession();
  const classes = useClasses();
  const capacities = useListed<StorageCapacity, StorageCapacity>(
    '/apis/storage.k8s.io/v1/csistoragecapacities',
    whole,
    {
      group: 'storage.k8s.io',
      resource: 'csistoragecapacities',
    },
  );
  const usage = classUsage(classes, volumes.claims, capacities.rows);
  const hasFree = usage.some(({ freeBytes }) => freeBytes !== undefined);
  return (
    <div className="usage">
      <section className="card">
        <h2>Storage classes{namespace === undefined ? '' : `, claims of namespace ${namespace}`}</h2>
        <div className="usage-scroll">
          <table className="usage-table">
            <thead>
              <tr>
                <th scope="col">Class</th>
                <th scope="col">Made by</th>
                <th scope="col">Claims</th>
                <th scope="col">Given out</th>
                <th scope="col">Used</th>
                {hasFree && <th scope="col">Free</th>}
              </tr>
            </thead>
            <tbody>
              {usage.map(({ name, provisioner, claims, givenBytes, usedBytes, claimsWithUsed, freeBytes }) => (
                <tr key={name}>
                  <th scope="row">{name || 'no class'}</th>
                  <td>{provisioner ?? '–'}</td>
                  <td>{claims}</td>
                  <td>{formatBytes(givenBytes)}</td>
                  <td>
                    {usedBytes === undefined ? 'not known' : formatBytes(usedBytes)}
                    {usedBytes !== undefined && claimsWithUsed < claims && (
                      <small className="muted">
                        {' '}
                        of {claimsWithUsed} {claimsWithUsed === 1 ? 'claim that says' : 'claims that say'} so
                      </small>
                    )}
                  </td>
                  {hasFree && <td>{freeBytes === undefined ? '–' : formatBytes(freeBytes)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p className="muted">Disks take space as they are written, so more can be given out than there is.</p>
      </section>
      <Nodes />
    </div>
  );
}

function Nodes() {
  const { rows, state } = useListed<StorageNode, StorageNode>('/api/v1/nodes', room, { group: '', resource: 'nodes' });
  const rooms = nodeRooms(rows);
  return (
    <section className="card">
      <h2>Room on nodes</h2>
      {state.kind === 'refused' && <p className="muted">Nodes cannot be read: {state.reason}</p>}
      {state.kind === 'live' && rooms.length === 0 && (
        <p className="muted">No node says how much room it has for volumes; nodes of Vireo do.</p>
      )}
      <ul className="rooms">
        {rooms.map(({ name, freeBytes, totalBytes }) => (
          <li key={name}>
            <span>{name}</span>
            {totalBytes !== undefined && (
              <meter
                min={0}
                max={totalBytes}
                high={totalBytes * 0.9}
                value={Math.max(0, totalBytes - freeBytes)}
                aria-label={`Disk of ${name}`}
              />
            )}
            <span>
              {formatBytes(freeBytes)} free{totalBytes === undefined ? '' : ` of ${formatBytes(totalBytes)}`}
            </span>
          </li>
        ))}
      </ul>
      {rooms.length > 1 && <p className="muted">Nodes on one host share its disk: their room does not add up.</p>}
    </section>
  );
}
