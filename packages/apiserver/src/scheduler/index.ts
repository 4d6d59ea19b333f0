import { Namespace } from '@vireo/api/kinds/core/namespace.ts';
import { Node } from '@vireo/api/kinds/core/node.ts';
import { PersistentVolume } from '@vireo/api/kinds/core/persistentVolume.ts';
import { PersistentVolumeClaim } from '@vireo/api/kinds/core/persistentVolumeClaim.ts';
import { Pod } from '@vireo/api/kinds/core/pod.ts';
import { StorageClass } from '@vireo/api/kinds/storage/storageClass.ts';
import { type AnyInformer, type ControllerContext, systemClock } from '@vireo/kube';
import { Binder } from './binder.ts';
import { ClusterState } from './clusterState.ts';
import type { ClusterView } from './filter.ts';
import { SchedulingQueue } from './queue.ts';
import { Scheduler } from './scheduler.ts';

export const SCHEDULER_USER = 'system:kube-scheduler';

/** Places pods that have no node until `signal` aborts. */
export async function startScheduler(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { informers, client, clock = systemClock } = context;
  const pods = informers.for(Pod);
  const nodes = informers.for(Node);
  const claims = informers.for(PersistentVolumeClaim);
  const volumes = informers.for(PersistentVolume);
  const classes = informers.for(StorageClass);
  const namespaces = informers.for(Namespace);
  const all: AnyInformer[] = [pods, nodes, claims, volumes, classes, namespaces];
  const isSynced = await Promise.all(all.map((informer) => informer.whenSynced())).then(
    () => true,
    () => false, // Only a stop ends an informer before it is in sync.
  );
  if (!isSynced) return;

  const state = new ClusterState();
  const queue = new SchedulingQueue(clock);
  const view = (): ClusterView => ({
    nodes: state.nodes(),
    namespaceLabels: (name) => namespaces.get(name)?.metadata.labels,
    volumes: {
      claim: (namespace, name) => claims.get(`${namespace}/${name}`),
      volume: (name) => volumes.get(name),
      storageClass: (name) => classes.get(name),
    },
  });
  const scheduler = new Scheduler({ context, state, queue, binder: new Binder(client, claims), view, signal });

  nodes.on({
    added: (node) => {
      state.setNode(node);
      queue.wakeOn('nodeAdded');
    },
    updated: (old, node) => {
      state.setNode(node);
      if (capacityDiffers(old, node)) queue.wakeOn('nodeChanged');
    },
    deleted: (node) => state.removeNode(node.metadata.name),
  });
  pods.on({
    added: (pod) => scheduler.onPodChanged(undefined, pod),
    updated: (old, pod) => scheduler.onPodChanged(old, pod),
    deleted: (pod) => scheduler.onPodDeleted(pod),
  });
  const volumesChanged = () => queue.wakeOn('volumesChanged');
  for (const informer of [claims, volumes, classes])
    informer.on({ added: volumesChanged, updated: volumesChanged, deleted: volumesChanged });
  // Affinity terms may select namespaces by label: a relabelled namespace is as good as new pods.
  namespaces.on({ updated: () => queue.wakeOn('podPlaced') });

  signal.addEventListener('abort', () => queue.close(), { once: true });
  if (signal.aborted) queue.close();
  await scheduler.run();
}

/** Heartbeats change a node all the time; only these parts matter to a pod that waits. */
const capacityDiffers = (a: Node, b: Node): boolean => {
  const relevant = ({ metadata, spec, status }: Node) =>
    JSON.stringify([metadata.labels, spec, status?.allocatable, status?.capacity]);
  return relevant(a) !== relevant(b);
};
