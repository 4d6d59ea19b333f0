import { useMemo, useState } from 'react';
import type { Vmi } from '../../data/kinds.ts';
import { KIND_WORDS } from '../../decisions/consoles/guest.ts';
import type { ConsoleKind } from '../../decisions/consoles/streamEnd.ts';
import { type ConsoleKey, keyOfConsole, MOST_OPEN } from '../../decisions/consoles/workspace.ts';
import { type VmiRow, vmiRow } from '../../decisions/machine.ts';
import { ListProblem } from '../ListStates.tsx';
import { useCollection, useSession } from '../session.tsx';

interface Props {
  readonly open: readonly ConsoleKey[];
  readonly onOpen: (key: ConsoleKey) => void;
}

const KINDS: readonly ConsoleKind[] = ['serial', 'screen'];
const MOST_LISTED = 100;

/** Picks consoles of the machines that run. */
export function Picker({ open, onOpen }: Props) {
  const { namespace } = useSession();
  const [search, setSearch] = useState('');
  const below = namespace === undefined ? '' : `namespaces/${encodeURIComponent(namespace)}/`;
  const { rows, state } = useCollection<Vmi, VmiRow>(`/apis/kubevirt.io/v1/${below}virtualmachineinstances`, vmiRow);
  const found = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/);
    return rows
      .filter(({ phase, key }) => phase === 'Running' && words.every((word) => key.toLowerCase().includes(word)))
      .toSorted((a, b) => a.key.localeCompare(b.key));
  }, [rows, search]);
  const isFull = open.length >= MOST_OPEN;
  return (
    <div className="picker">
      <ListProblem state={state} hasRows={rows.length > 0} />
      <input
        type="search"
        data-autofocus
        aria-label="Find a running machine"
        placeholder="Find a running machine"
        spellCheck={false}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {isFull && <p className="problem">At most {MOST_OPEN} consoles can be open at once.</p>}
      <ul className="picker-list">
        {found.slice(0, MOST_LISTED).map(({ key, namespace: place, name }) => (
          <li key={key}>
            <span className="picker-name">
              {name} <small className="muted">{place}</small>
            </span>
            {KINDS.map((kind) => {
              const console = keyOfConsole({ kind, namespace: place, name });
              const isOpen = open.includes(console);
              return (
                <button
                  key={kind}
                  type="button"
                  aria-disabled={isFull && !isOpen}
                  onClick={() => (isOpen || !isFull) && onOpen(console)}
                >
                  {KIND_WORDS[kind]}
                  <span className="visually-hidden"> of {name}</span>
                  {isOpen && <small> · open</small>}
                </button>
              );
            })}
          </li>
        ))}
      </ul>
      {found.length === 0 && state.kind !== 'loading' && (
        <p className="muted">
          {search === ''
            ? `No machine runs${namespace === undefined ? '' : ` in namespace ${namespace}`}.`
            : 'No running machine matches.'}
        </p>
      )}
      {found.length > MOST_LISTED && (
        <p className="muted">{found.length - MOST_LISTED} more match; write more of the name.</p>
      )}
    </div>
  );
}
