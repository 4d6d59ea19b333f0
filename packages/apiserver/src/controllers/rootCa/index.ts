import { ConfigMap, Namespace } from '@vireo/api';
import { enqueueKey, runController, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { ROOT_CA_NAME, reconcileRootCa } from './reconcile.ts';

export const ROOT_CA_USER = 'system:serviceaccount:kube-system:root-ca-cert-publisher';

/** Keeps the server's certificate authority in every namespace, for pods to check the server by. */
export async function startRootCaController(
  context: ControllerContext & { readonly caPem: string },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, caPem } = context;
  const namespaces = informers.for(Namespace);
  const maps = informers.for(ConfigMap, { fieldSelector: `metadata.name=${ROOT_CA_NAME}` });
  const queue = new WorkQueue();
  const enqueueNamespace = ({ metadata }: ConfigMap) => queue.add(metadata.namespace ?? '');
  namespaces.on(enqueueKey(queue));
  maps.on({ updated: (_, map) => enqueueNamespace(map), deleted: enqueueNamespace });
  await runController(
    {
      name: 'root-ca',
      queue,
      informers: [namespaces, maps],
      log: context.log,
      metrics: context.metrics,
      reconcile: async (key) => {
        const namespace = namespaces.get(key);
        if (namespace) await reconcileRootCa(namespace, maps.get(`${key}/${ROOT_CA_NAME}`), caPem, client);
      },
    },
    signal,
  );
}
