import { useMemo } from 'react';
import { Link } from 'wouter';
import { ALL_GUESTS, guestRow } from '../../decisions/nodes/guest.ts';
import { hypervisorText, type NodeRow, nodeBadges, nodeRow } from '../../decisions/nodes/node.ts';
import { type Usage, usageByNode, usageOf } from '../../decisions/nodes/usage.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { Age } from '../Age.tsx';
import { Badge } from '../Badge.tsx';
import { Meter } from '../Meter.tsx';
import { useCollection, useNow } from '../session.tsx';
import { Unreadable } from '../Unreadable.tsx';

export const NODES = '/api/v1/nodes';

/** All nodes: whether they take guests, and how full they are. */
export function NodeList() {
  const nodes = useCollection(NODES, nodeRow);
  const guests = useCollection(ALL_GUESTS, guestRow);
  const now = useNow(1_000);
  const usage = useMemo(() => usageByNode(guests.rows), [guests.rows]);
  const rows = useMemo(() => [...nodes.rows].sort((a, b) => (a.name < b.name ? -1 : 1)), [nodes.rows]);
  return (
    <section aria-label="Nodes">
      <div className="page-head">
        <h1>Nodes</h1>
        <span className="muted" role="status">
          {rows.length > 0 && `${rows.length} ${rows.length === 1 ? 'node' : 'nodes'}`}
        </span>
      </div>
      {rows.length === 0 && (
        <Unreadable
          state={nodes.state}
          what="Nodes"
          remedy="Nodes belong to the whole cluster: ask an administrator for a ClusterRole with get, list and watch of nodes."
        />
      )}
      {guests.state.kind === 'refused' && rows.length > 0 && (
        <p className="callout">What is given out cannot be told, because you may not list all machines.</p>
      )}
      {rows.length > 0 && (
        <div className="list-scroll">
          <table className="list">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">State</th>
                <th scope="col" className="wide">
                  Hypervisor
                </th>
                <th scope="col">CPU given</th>
                <th scope="col">Memory given</th>
                <th scope="col" className="number wide">
                  Machines
                </th>
                <th scope="col" className="number wide">
                  Age
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((node) => (
                <Line key={node.name} node={node} usage={usageOf(usage, node.name)} now={now} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Line({ node, usage, now }: { readonly node: NodeRow; readonly usage: Usage; readonly now: number }) {
  return (
    <tr>
      <th scope="row">
        <Link href={`/nodes/${node.name}`}>{node.name}</Link>
        {node.address && <small className="muted list-about">{node.address}</small>}
      </th>
      <td>
        <NodeBadges node={node} />
      </td>
      <td className="wide">{hypervisorText(node)}</td>
      <td>
        <CpuMeter node={node} usage={usage} />
      </td>
      <td>
        <MemoryMeter node={node} usage={usage} />
      </td>
      <td className="number wide">{usage.machines}</td>
      <td className="number wide">
        <Age time={node.createdAt} now={now} />
      </td>
    </tr>
  );
}

interface MeterProps {
  readonly node: NodeRow;
  readonly usage: Usage;
}

/** Virtual processors may be more than there are. A node that does not say how many it has, such as a simulated one, has no bar. */
export function CpuMeter({ node: { cpus }, usage }: MeterProps) {
  if (cpus === 0) return <NoLimit text={String(usage.cpus)} />;
  return <Meter label="CPU given out" value={usage.cpus} max={cpus} text={`${usage.cpus} of ${cpus}`} />;
}

function NoLimit({ text }: { readonly text: string }) {
  return (
    <>
      {text} <span className="muted">of no limit</span>
    </>
  );
}

export function MemoryMeter({ node: { memoryBytes }, usage }: MeterProps) {
  if (memoryBytes === 0) return <NoLimit text={formatBytes(usage.memoryBytes)} />;
  const tone = usage.memoryBytes > 0.9 * memoryBytes ? 'warn' : 'busy';
  const text = `${formatBytes(usage.memoryBytes)} of ${formatBytes(memoryBytes)}`;
  return <Meter label="Memory given out" value={usage.memoryBytes} max={memoryBytes} text={text} tone={tone} />;
}

export function NodeBadges({ node }: { readonly node: NodeRow }) {
  return (
    <span className="badges">
      {nodeBadges(node).map(({ tone, text, title }) => (
        <Badge key={text} tone={tone} {...(title && { title })}>
          {text}
        </Badge>
      ))}
    </span>
  );
}
