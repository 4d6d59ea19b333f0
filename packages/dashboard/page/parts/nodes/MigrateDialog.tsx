import { useId, useState } from 'react';
import type { Movable } from '../../decisions/actions.ts';
import { type NodeRow, nodeRow } from '../../decisions/nodes/node.ts';
import { ConfirmDialog } from '../ConfirmDialog.tsx';
import { useCollection } from '../session.tsx';
import { NODES } from './NodeList.tsx';
import '../../styles/cluster.css';

interface Props {
  readonly guest: Movable;
  readonly onCancel: () => void;
  readonly onMigrate: (node: string | undefined) => void;
}

/** Asks where a guest should go. Who may not read nodes can name one. */
export function MigrateDialog({ guest, onCancel, onMigrate }: Props) {
  const nodes = useCollection(NODES, nodeRow);
  const [node, setNode] = useState('');
  const field = useId();
  const others = nodes.rows.filter(({ name }) => name !== guest.node);
  return (
    <ConfirmDialog
      title={`Migrate ${guest.name}?`}
      button={`Migrate ${guest.name}`}
      onCancel={onCancel}
      onConfirm={() => onMigrate(node.trim() || undefined)}
    >
      <p>It runs on {guest.node ?? 'a node'}, keeps running while it moves, and stops for a moment at the end.</p>
      <p>
        <label htmlFor={field}>Move it to</label>
        {nodes.state.kind === 'refused' ? (
          <input
            id={field}
            value={node}
            placeholder="any node that fits"
            spellCheck={false}
            onChange={(event) => setNode(event.target.value)}
          />
        ) : (
          <select id={field} value={node} onChange={(event) => setNode(event.target.value)}>
            <option value="">any node that fits</option>
            {others.map((each) => (
              <option key={each.name} value={each.name} disabled={whyNot(each) !== undefined}>
                {each.name}
                {whyNot(each) && ` (${whyNot(each)})`}
              </option>
            ))}
          </select>
        )}
      </p>
      {nodes.state.kind === 'live' && others.length === 0 && <p className="problem">There is no other node.</p>}
    </ConfirmDialog>
  );
}

function whyNot({ isReady, isCordoned, takesGuests }: NodeRow): string | undefined {
  if (!isReady) return 'not ready';
  if (isCordoned) return 'cordoned';
  return takesGuests ? undefined : 'takes no guests';
}
