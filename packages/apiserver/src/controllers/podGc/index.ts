import { Node, Pod } from '@vireo/api';
import { type ControllerContext, type Key, runController, watch } from '@vireo/kube';
import { removePodsOf } from './reconcile.ts';

export const POD_GC_USER = 'system:serviceaccount:kube-system:pod-garbage-collector';

/** A node that is deleted and comes back at once, as in a re-registration, keeps its pods. */
export const QUARANTINE_MS = 40_000;

/** Removes the pods of nodes that no longer exist. */
export async function startPodGcController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = context;
  const nodes = informers.for(Node);
  const pods = informers.for(Pod, { indexes: { node: ({ spec }) => [spec?.nodeName ?? ''] } });
  const suspect = (nodeName: string | undefined): Key[] =>
    nodeName && nodes.hasSynced && !nodes.get(nodeName) ? [{ key: nodeName, afterMs: QUARANTINE_MS }] : [];
  await runController(
    {
      name: 'pod-gc',
      watches: [
        watch(nodes, { deleted: ({ metadata }) => suspect(metadata.name) }),
        watch(pods, { changed: ({ spec }) => suspect(spec?.nodeName) }),
      ],
      initialKeys: () => pods.list().flatMap(({ spec }) => suspect(spec?.nodeName)),
      reconcile: async (nodeName) => {
        if (!nodes.get(nodeName)) await removePodsOf(nodeName, pods.byIndex('node', nodeName), client);
      },
    },
    context,
    signal,
  );
}
