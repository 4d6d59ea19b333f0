import { useState } from 'react';
import { drainText } from '../../decisions/nodes/drain.ts';
import type { NodeRow } from '../../decisions/nodes/node.ts';
import { offerOf } from '../../decisions/offers.ts';
import { ConfirmDialog } from '../ConfirmDialog.tsx';
import { OfferButton } from '../OfferButton.tsx';
import { useMay } from '../session.tsx';
import { useDrain } from './useDrain.ts';

const WORDS = { waiting: 'waits', asked: 'asked to leave', gone: 'has left', failed: 'refused' } as const;

/** Empties a node as `kubectl drain` does, as long as the page stays open. */
export function DrainPanel({ node }: { readonly node: NodeRow }) {
  const may = useMay();
  const { evicting, isRunning, problem, start, stop } = useDrain(node.name);
  const [isAsking, setAsking] = useState(false);
  const offer = offerOf(may, { verb: 'create', group: '', resource: 'pods', subresource: 'eviction' }, '');
  return (
    <>
      <div className="actions">
        {isRunning ? (
          <button type="button" onClick={stop}>
            Stop draining
          </button>
        ) : (
          <OfferButton offer={offer} onClick={() => setAsking(true)}>
            Drain
          </OfferButton>
        )}
      </div>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {evicting && <p role="status">{drainText(evicting)}</p>}
      <ul className="evictions">
        {(evicting ?? []).map(({ key, state, message }) => (
          <li key={key}>
            <span>{key}</span>
            <strong>{WORDS[state]}</strong>
            {message && <span className="muted">{message}</span>}
          </li>
        ))}
      </ul>
      {isAsking && (
        <ConfirmDialog
          title={`Drain ${node.name}?`}
          button={`Drain ${node.name}`}
          isDanger
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            void start();
          }}
        >
          <p>
            The node is cordoned, and its pods are evicted. Machines move or shut down, as their eviction strategies
            say. Draining goes on while this page is open.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
