import type { Kind } from '@vireo/api';
import { type ControllerContext, runController, WorkQueue } from '@vireo/kube';
import { KindMonitors } from '../kindMonitors.ts';
import type { ServedKinds } from '../servedKinds.ts';
import { OwnerGraph } from './graph.ts';
import { collect } from './reconcile.ts';

export const GARBAGE_COLLECTOR_USER = 'system:serviceaccount:kube-system:generic-garbage-collector';

/** Removes objects whose owners have gone, and carries out foreground and orphaning deletions. */
export async function startGarbageCollector(
  context: ControllerContext & { readonly served: ServedKinds },
  signal: AbortSignal,
): Promise<void> {
  const { client, served, recorder, log } = context;
  const graph = new OwnerGraph();
  const queue = new WorkQueue();
  const enqueue = (uids: Iterable<string>) => {
    for (const uid of uids) queue.add(uid);
  };
  const monitors = new KindMonitors({
    client,
    served,
    log,
    isWanted: isCollectable,
    handlers: (kind) => ({
      added: (object) => enqueue(graph.put(kind, object)),
      updated: (_, object) => enqueue(graph.put(kind, object)),
      deleted: (object) => enqueue(graph.remove(object.metadata.uid)),
    }),
  });
  monitors.start(signal);
  await runController(
    {
      name: 'garbage-collector',
      queue,
      concurrency: 5,
      reconcile: async (uid) => {
        // An owner may go only when all of its dependents are known, those of new kinds included.
        await monitors.whenSynced();
        await collect(uid, { client, graph, served, recorder, enqueue: (each) => queue.add(each) });
      },
    },
    context,
    signal,
  );
}

/** Events belong to nobody and come in numbers. */
const isCollectable = ({ kind, verbs, virtual }: Kind): boolean =>
  !virtual && kind !== 'Event' && (['list', 'watch', 'delete'] as const).every((verb) => verbs.includes(verb));
