import { ConfigMap, Namespace } from '@vireo/api';
import { type ControllerContext, runController, watch } from '@vireo/kube';
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
  await runController(
    {
      name: 'root-ca',
      for: namespaces,
      watches: [
        watch(maps, {
          updated: (_, { metadata }) => metadata.namespace,
          deleted: ({ metadata }) => metadata.namespace,
        }),
      ],
      reconcile: async (key) => {
        const namespace = namespaces.get(key);
        if (namespace) await reconcileRootCa(namespace, maps.get(`${key}/${ROOT_CA_NAME}`), caPem, client);
      },
    },
    context,
    signal,
  );
}
