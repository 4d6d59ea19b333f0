import { Namespace } from '@vireo/api';
import { type ControllerContext, runController, systemClock } from '@vireo/kube';
import type { ServedKinds } from '../servedKinds.ts';
import { reconcileNamespace } from './reconcile.ts';

export const NAMESPACE_USER = 'system:serviceaccount:kube-system:namespace-controller';

/** Takes terminating namespaces apart: everything in them, custom kinds included, then the namespace. */
export async function startNamespaceController(
  context: ControllerContext & { readonly served: ServedKinds },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, served, clock = systemClock } = context;
  const namespaces = informers.for(Namespace);
  await runController(
    {
      name: 'namespace',
      for: namespaces,
      concurrency: 5,
      reconcile: async (key) => {
        const namespace = namespaces.get(key);
        return namespace && reconcileNamespace(namespace, { client, served, now: () => new Date(clock.now()) });
      },
    },
    context,
    signal,
  );
}
