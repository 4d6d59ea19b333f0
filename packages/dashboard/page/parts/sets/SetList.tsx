import { type ComponentProps, useMemo } from 'react';
import type { FollowState } from '../../decisions/connection.ts';
import { POOLS, REPLICA_SETS, type SetKind, type SetRow, setRow, setsPath } from '../../decisions/sets/set.ts';
import { useCollection, useNow, useSession } from '../session.tsx';
import { Unreadable } from '../Unreadable.tsx';
import { Examples } from './Examples.tsx';
import { SetLine } from './SetLine.tsx';

/** All sets of the chosen namespace, live. */
export function SetList() {
  const { namespace } = useSession();
  const replicaSets = useCollection(setsPath(REPLICA_SETS, namespace), setRow);
  const pools = useCollection(setsPath(POOLS, namespace), setRow);
  const now = useNow(1_000);
  const lines = useMemo(
    () => [...linesOf(REPLICA_SETS, replicaSets.rows), ...linesOf(POOLS, pools.rows)].sort(byName),
    [replicaSets.rows, pools.rows],
  );
  const isLoading = replicaSets.state.kind === 'loading' && lines.length === 0;
  return (
    <section aria-label="Replica sets and pools">
      <div className="page-head">
        <h1>Replica sets and pools</h1>
        <span className="muted" role="status">
          {isLoading ? '' : `${lines.length} ${lines.length === 1 ? 'set' : 'sets'}`}
        </span>
      </div>
      {lines.length === 0 && (
        <Unreadable
          state={replicaSets.state}
          what="Replica sets and pools"
          remedy="Choose a namespace that you have access to, or ask an administrator for the role kubevirt.io:view."
        />
      )}
      {lines.length > 0 && (
        <div className="list-scroll">
          <table className="list">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">State</th>
                <th scope="col">Ready</th>
                <th scope="col" className="wide">
                  Selects
                </th>
                <th scope="col" className="number">
                  Age
                </th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line) => (
                <SetLine key={`${line.kind.id} ${line.set.key}`} {...line} now={now} withNamespace={!namespace} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isEmpty(lines, replicaSets.state) && (
        <Empty namespace={namespace} kinds={pools.state.kind === 'refused' ? [REPLICA_SETS] : [REPLICA_SETS, POOLS]} />
      )}
    </section>
  );
}

interface Line {
  readonly kind: SetKind;
  readonly set: SetRow;
}

const linesOf = (kind: SetKind, rows: readonly SetRow[]): Line[] => rows.map((set) => ({ kind, set }));
const byName = (a: Line, b: Line): number => (a.set.name < b.set.name ? -1 : a.set.name > b.set.name ? 1 : 0);
const isEmpty = (lines: readonly Line[], state: FollowState): boolean => lines.length === 0 && state.kind === 'live';

function Empty({ namespace, kinds }: ComponentProps<typeof Examples>) {
  return (
    <div className="empty">
      <h2>No replica sets or pools{namespace === undefined ? '' : ` in namespace ${namespace}`}</h2>
      <p>
        A replica set keeps a number of equal machines running, and replaces those that end. The machines of a pool have
        numbers and disks of their own. To make one, copy a manifest, change what you like, and pass it to{' '}
        <code>kubectl apply -f -</code>:
      </p>
      <Examples namespace={namespace} kinds={kinds} />
    </div>
  );
}
