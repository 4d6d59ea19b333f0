import { useMemo } from 'react';
import { Link } from 'wouter';
import { whole } from '../../data/kinds.ts';
import type { NodeObject } from '../../data/nodeKinds.ts';
import { guestRow, guestsOfPath } from '../../decisions/nodes/guest.ts';
import { nodeChecks, nodeRow } from '../../decisions/nodes/node.ts';
import { usageByNode, usageOf } from '../../decisions/nodes/usage.ts';
import { CheckList } from '../CheckList.tsx';
import { useCollection } from '../session.tsx';
import { Unreadable } from '../Unreadable.tsx';
import { Guests } from './Guests.tsx';
import { NodeActions } from './NodeActions.tsx';
import { NodeFacts } from './NodeFacts.tsx';
import { NodeLabels } from './NodeLabels.tsx';
import { NODES, NodeBadges } from './NodeList.tsx';

/** One node: what it offers, what runs on it, and how it is emptied. */
export function NodeDetail({ name }: { readonly name: string }) {
  const one = `?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  const nodes = useCollection<NodeObject, NodeObject>(`${NODES}${one}`, whole);
  const guests = useCollection(guestsOfPath(name), guestRow);
  const object = nodes.rows[0];
  const node = useMemo(() => object && nodeRow(object), [object]);
  const here = useMemo(
    () => guests.rows.filter((guest) => guest.node === name).sort((a, b) => (a.key < b.key ? -1 : 1)),
    [guests.rows, name],
  );
  const usage = useMemo(() => usageOf(usageByNode(here), name), [here, name]);
  if (!object || !node) {
    if (nodes.state.kind === 'loading') return null;
    return (
      <div className="empty">
        <h1>There is no node {name}</h1>
        <Unreadable state={nodes.state} what="Nodes" remedy="Ask an administrator for a role that may read nodes." />
        <p>
          <Link href="/nodes">All nodes</Link>
        </p>
      </div>
    );
  }
  return (
    <section aria-label={`Node ${name}`}>
      <p className="crumbs">
        <Link href="/nodes">Nodes</Link>
      </p>
      <div className="page-head">
        <h1 title={name}>{name}</h1>
        <NodeBadges node={node} />
      </div>
      {node.notReady && <p className="why">{node.notReady}</p>}
      <div className="stack">
        <NodeActions node={node} guests={here} />
        <div className="cards">
          <NodeFacts object={object} node={node} usage={usage} />
          <section className="card" aria-label="Conditions">
            <h2>Conditions</h2>
            <CheckList checks={nodeChecks(object.status?.conditions)} />
          </section>
        </div>
        <Guests guests={here} state={guests.state} />
        <NodeLabels labels={object.metadata.labels} />
      </div>
    </section>
  );
}
