import { Node, Pod } from '@vireo/api';
import { runController, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { removePodsOf } from './reconcile.ts';

export const POD_GC_USER = 'system:serviceaccount:kube-system:pod-garbage-collector';

/** A node that is deleted and comes back at once, as in a re-registration, keeps its pods. */
export const QUARANTINE_MS = 40_000;

/** Removes the pods of nodes that no longer exist. */
export async function startPodGcController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = context;
  const nodes = informers.for(Node);
  const pods = informers.for(Pod, { indexes: { node: ({ spec }) => [spec?.nodeName ?? ''] } });
  const queue = new WorkQueue({ clock: context.clock });
  const suspect = (nodeName: string | undefined) => {
    if (nodeName && nodes.hasSynced && !nodes.get(nodeName)) queue.addAfter(nodeName, QUARANTINE_MS);
  };
  nodes.on({ deleted: ({ metadata }) => suspect(metadata.name) });
  void nodes.whenSynced().then(
    () => pods.on({ added: ({ spec }) => suspect(spec?.nodeName), updated: (_, { spec }) => suspect(spec?.nodeName) }),
    () => {}, // Stopped before it began.
  );
  await runController(
    {
      name: 'pod-gc',
      queue,
      informers: [nodes, pods],
      log: context.log,
      metrics: context.metrics,
      reconcile: async (nodeName) => {
        if (!nodes.get(nodeName)) await removePodsOf(nodeName, pods.byIndex('node', nodeName), client);
      },
    },
    signal,
  );
}
