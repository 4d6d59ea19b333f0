import { join } from 'node:path';

/** Where the home of a node keeps things. */
export const nodeFiles = (home: string) => ({
  /** The server and its authority; who the node is there are its certificates. */
  kubeconfig: join(home, 'node.kubeconfig'),
  /** The same with a bootstrap token, until the node has its certificates. */
  bootstrapKubeconfig: join(home, 'bootstrap.kubeconfig'),
  /** The key that the host joins with, until the node has its certificates. */
  joiningKey: join(home, 'pki', 'joining.key'),
  record: join(home, 'node.json'),
  pki: join(home, 'pki'),
});
