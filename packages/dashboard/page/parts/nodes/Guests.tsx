import { Link } from 'wouter';
import type { FollowState } from '../../decisions/connection.ts';
import type { Guest } from '../../decisions/nodes/guest.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { StateBadge } from '../StateBadge.tsx';
import { Unreadable } from '../Unreadable.tsx';
import { MigrateButton } from './MigrateButton.tsx';

/** The machines on a node. */
export function Guests({ guests, state }: { readonly guests: readonly Guest[]; readonly state: FollowState }) {
  if (guests.length === 0 && state.kind === 'refused')
    return <Unreadable state={state} what="Machines" remedy="You need the role kubevirt.io:view in all namespaces." />;
  return (
    <div className="list-scroll">
      <table className="list">
        <caption>
          <h2>Machines</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col" className="number wide">
              CPU
            </th>
            <th scope="col" className="number wide">
              Memory
            </th>
            <th scope="col" className="cell-actions">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {guests.map((guest) => (
            <tr key={guest.key}>
              <th scope="row">
                <Link href={`/machines/${guest.namespace}/${guest.name}`}>{guest.name}</Link>
                <small className="muted list-about">{guest.namespace}</small>
              </th>
              <td>
                <StateBadge state={guest.state} move={guest.move} />
              </td>
              <td className="number wide">{guest.cpus ?? '–'}</td>
              <td className="number wide">{guest.memoryBytes === undefined ? '–' : formatBytes(guest.memoryBytes)}</td>
              <td className="cell-actions">
                <MigrateButton guest={guest} />
              </td>
            </tr>
          ))}
          {guests.length === 0 && (
            <tr>
              <td colSpan={5} className="muted">
                No machine runs here.
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
