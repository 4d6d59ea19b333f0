import { Lease, Node, Pod } from '@vireo/api';
import { enqueueKey, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { Vmi } from '../kinds.ts';
import { APP_LABEL } from '../wellKnown.ts';
import { aliveUntilMs } from './heartbeat.ts';
import { reconcileNode } from './reconcile.ts';

const LEASES = 'kube-node-lease';

/** Notices nodes whose agents fall silent, and gives up the machines on them. */
export async function startNodeController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, clock = systemClock } = context;
  const nodes = informers.for(Node);
  const leases = informers.for(Lease, { namespace: LEASES });
  const vmis = informers.for(Vmi, { indexes: { node: ({ status }) => [status?.nodeName ?? ''] } });
  const pods = informers.for(Pod, {
    labelSelector: `${APP_LABEL}=virt-launcher`,
    indexes: { node: ({ spec }) => [spec?.nodeName ?? ''] },
  });
  const queue = new WorkQueue({ clock });
  const listeningSinceMs = clock.now();
  // Renewals of leases come all the time and need no look: the reconcile before has set its own date.
  nodes.on(enqueueKey(queue));
  await runController(
    {
      name: 'node',
      queue,
      informers: [nodes, leases, vmis, pods],
      log,
      reconcile: async (key) => {
        const node = nodes.get(key);
        if (!node) return undefined;
        const state = {
          node,
          aliveUntilMs: aliveUntilMs(node, leases.get(`${LEASES}/${key}`), listeningSinceMs),
          vmis: vmis.byIndex('node', key),
          pods: pods.byIndex('node', key),
          now: new Date(clock.now()),
        };
        return reconcileNode(state, client, recorder);
      },
    },
    signal,
  );
}
