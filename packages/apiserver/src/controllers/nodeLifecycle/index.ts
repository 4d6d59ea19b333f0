import { Lease, Node } from '@vireo/api';
import { enqueueKey, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { reconcileNode } from './reconcile.ts';

export const NODE_USER = 'system:serviceaccount:kube-system:node-controller';

const LEASES = 'kube-node-lease';

/** Notices nodes that fall silent, and taints nodes by what their conditions say. */
export async function startNodeLifecycleController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const nodes = informers.for(Node);
  const leases = informers.for(Lease, { namespace: LEASES });
  const queue = new WorkQueue({ clock });
  const listeningSinceMs = clock.now();
  nodes.on(enqueueKey(queue));
  // Renewals come all the time and need no look: the reconcile before has set its own date.
  leases.on({ added: ({ metadata }) => queue.add(metadata.name ?? '') });
  await runController(
    {
      name: 'node-lifecycle',
      queue,
      informers: [nodes, leases],
      log: context.log,
      metrics: context.metrics,
      reconcile: async (key) => {
        const node = nodes.get(key);
        const lease = leases.get(`${LEASES}/${key}`);
        return node && reconcileNode(node, lease, client, new Date(clock.now()), listeningSinceMs);
      },
    },
    signal,
  );
}
