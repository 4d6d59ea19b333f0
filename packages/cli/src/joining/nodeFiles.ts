import { join } from 'node:path';

/** Where the home of a node keeps things. */
export const nodeFiles = (home: string) => ({
  /** The server and its authority; who the node is there are its certificates. */
  kubeconfig: join(home, 'node.kubeconfig'),
  /** The same with a bootstrap token, until the node has its certificates. */
  bootstrapKubeconfig: join(home, 'bootstrap.kubeconfig'),
  record: join(home, 'node.json'),
  pki: join(home, 'pki'),
});
