import { Route, Switch } from 'wouter';
import { NodeDetail } from '../parts/nodes/NodeDetail.tsx';
import { NodeList } from '../parts/nodes/NodeList.tsx';
import '../styles/cluster.css';
import '../styles/nodes.css';

/** Nodes, and what runs on them. */
export default function NodesPage() {
  return (
    <Switch>
      <Route path="/nodes/:name">{({ name }) => <NodeDetail key={name} name={name} />}</Route>
      <Route>
        <NodeList />
      </Route>
    </Switch>
  );
}
