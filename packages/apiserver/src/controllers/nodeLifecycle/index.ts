import { Lease, Node } from '@vireo/api';
import { type ControllerContext, runController, systemClock, watch } from '@vireo/kube';
import { reconcileNode } from './reconcile.ts';

export const NODE_USER = 'system:serviceaccount:kube-system:node-controller';

const LEASES = 'kube-node-lease';

/** Notices nodes that fall silent, and taints nodes by what their conditions say. */
export async function startNodeLifecycleController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const nodes = informers.for(Node);
  const leases = informers.for(Lease, { namespace: LEASES });
  const listeningSinceMs = clock.now();
  await runController(
    {
      name: 'node-lifecycle',
      for: nodes,
      // Renewals come all the time and need no look: the reconcile before has set its own date.
      watches: [watch(leases, { added: ({ metadata }) => metadata.name })],
      reconcile: async (key) => {
        const node = nodes.get(key);
        const lease = leases.get(`${LEASES}/${key}`);
        return node && reconcileNode(node, lease, client, new Date(clock.now()), listeningSinceMs);
      },
    },
    context,
    signal,
  );
}
