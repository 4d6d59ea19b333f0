import { Route, Switch, useSearchParams } from 'wouter';
import { POOLS, REPLICA_SETS } from '../decisions/sets/set.ts';
import { SetDetail } from '../parts/sets/SetDetail.tsx';
import { SetList } from '../parts/sets/SetList.tsx';
import '../styles/cluster.css';
import '../styles/sets.css';

/** Replica sets and pools. */
export default function SetsPage() {
  const [parameters] = useSearchParams();
  const kind = parameters.get('kind') === 'pool' ? POOLS : REPLICA_SETS;
  return (
    <Switch>
      <Route path="/sets/:namespace/:name/:tab?">
        {({ namespace, name, tab }) => (
          <SetDetail
            key={`${kind.id}/${namespace}/${name}`}
            kind={kind}
            namespace={namespace}
            name={name}
            tab={tab ?? 'overview'}
          />
        )}
      </Route>
      <Route>
        <SetList />
      </Route>
    </Switch>
  );
}
