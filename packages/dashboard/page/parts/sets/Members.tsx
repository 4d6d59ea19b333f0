import { Link } from 'wouter';
import type { FollowState } from '../../decisions/connection.ts';
import type { Member } from '../../decisions/sets/members.ts';
import { Age } from '../Age.tsx';
import { StateBadge } from '../StateBadge.tsx';
import { useNow } from '../session.tsx';
import { Unreadable } from '../Unreadable.tsx';

/** The machines of a set. */
export function Members({ members, state }: { readonly members: readonly Member[]; readonly state: FollowState }) {
  const now = useNow(1_000);
  if (members.length === 0 && state.kind !== 'live')
    return <Unreadable state={state} what="Machines" remedy="Ask an administrator for the role kubevirt.io:view." />;
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
            <th scope="col">Ready</th>
            <th scope="col" className="wide">
              Node
            </th>
            <th scope="col" className="number wide">
              Deletion cost
            </th>
            <th scope="col" className="number">
              Age
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.uid}>
              <th scope="row">
                <Link href={`/machines/${member.namespace}/${member.name}`}>{member.name}</Link>
              </th>
              <td>
                <StateBadge state={member.state} />
              </td>
              <td>{member.isReady ? 'yes' : <span title={member.why}>no</span>}</td>
              <td className="wide">{member.node ? <Link href={`/nodes/${member.node}`}>{member.node}</Link> : '–'}</td>
              <td className="number wide">{member.deletionCost}</td>
              <td className="number">
                <Age time={member.createdAt} now={now} />
              </td>
            </tr>
          ))}
          {members.length === 0 && (
            <tr>
              <td colSpan={6} className="muted">
                It has no machines.
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
