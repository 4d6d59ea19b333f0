import {
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  type Kind,
  type Persisted,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
  type UnknownObject,
} from '@vireo/api';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { isUnmanaged, unmanagedMessage } from './status.ts';

export const UNMANAGED_WORKLOAD_USER = 'system:serviceaccount:kube-system:unmanaged-workload-controller';

/** Kinds whose pods run containers. */
const WORKLOADS: readonly Kind<UnknownObject>[] = [
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
].map((kind) => kind as unknown as Kind<UnknownObject>);

/** A controller that manages the workload has written its status by then. */
const PATIENCE_MS = 1_000;
/** Older workloads have their event already: a restart of the server does not repeat it. */
const RECENT_MS = 60_000;

/** Records an event on new workloads that no controller manages: the server accepts them, but they never get pods. */
export async function startUnmanagedWorkloadController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { informers, recorder, clock = systemClock } = context;
  const workloads = new Map(WORKLOADS.map((kind) => [kind.kind, informers.for(kind)]));
  const isRecent = ({ metadata }: Persisted<UnknownObject>): boolean =>
    clock.now() - Date.parse(metadata.creationTimestamp) < RECENT_MS;
  await runController(
    {
      name: 'unmanagedworkload',
      watches: [...workloads].map(([kind, informer]) =>
        watch(informer, {
          added: (object) => (isRecent(object) ? { key: `${kind}/${keyOf(object)}`, afterMs: PATIENCE_MS } : undefined),
        }),
      ),
      subject: (key) => {
        const [kind = '', namespace = '', name = ''] = key.split('/');
        return { kind, namespace, name };
      },
      reconcile: async (key) => {
        const [kind = '', ...rest] = key.split('/');
        const object = workloads.get(kind)?.get(rest.join('/'));
        if (object && isUnmanaged(object)) recorder.event(object, 'Warning', 'NoContainers', unmanagedMessage(kind));
      },
    },
    context,
    signal,
  );
}
