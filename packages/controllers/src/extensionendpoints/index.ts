import { EndpointSlice, Lease, type Persisted } from '@vireo/api';
import { EXTENSION_SELECTOR, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { type ControllerContext, ignoreNotFound, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { type Sign, silenceOf } from './silence.ts';

/**
 * Takes away the EndpointSlice and the Lease of an instance of the extension that no longer renews its Lease: API
 * servers would go on sending it requests. An instance that was only slow makes both again.
 */
export async function startExtensionEndpointsController(
  context: ControllerContext,
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, log, clock = systemClock } = context;
  const own = { namespace: KUBEVIRT_NAMESPACE, labelSelector: EXTENSION_SELECTOR };
  const leases = informers.for(Lease, own);
  const slices = informers.for(EndpointSlice, own);
  const signs = new Map<string, Sign>();
  await runController(
    {
      name: 'extension-endpoints',
      for: leases,
      watches: [watch(slices, keyOf)],
      reconcile: async (key) => {
        const [lease, slice] = [leases.get(key), slices.get(key)];
        if (!lease && !slice) {
          signs.delete(key);
          return;
        }
        const { sign, remainingMs } = silenceOf(lease, slice, signs.get(key), clock.now());
        signs.set(key, sign);
        if (remainingMs > 0) return { requeueAfterMs: remainingMs };
        log.warn('an instance of the extension is silent: no more requests are sent there', slice ?? lease, {
          instance: lease?.spec?.holderIdentity,
        });
        // First the Lease: one that was renewed meanwhile is a Conflict, and the slice stays.
        if (lease) await client.of(Lease).delete(lease.metadata.name, unchanged(lease)).catch(ignoreNotFound);
        if (slice) await client.of(EndpointSlice).deleteExactly(slice).catch(ignoreNotFound);
        return;
      },
    },
    context,
    signal,
  );
}

const unchanged = ({ metadata: { uid, resourceVersion } }: Persisted<Lease>) => ({
  namespace: KUBEVIRT_NAMESPACE,
  preconditions: { uid, resourceVersion },
});
