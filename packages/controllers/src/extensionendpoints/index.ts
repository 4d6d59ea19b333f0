import { EndpointSlice, Lease, type Persisted } from '@vireo/api';
import { EXTENSION_SELECTOR, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import {
  type ControllerContext,
  ignoreNotFound,
  keyOf,
  parseKey,
  runController,
  systemClock,
  watch,
} from '@vireo/kube';
import { InstanceSilence } from './silence.ts';

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
  const silence = new InstanceSilence();
  await runController(
    {
      name: 'extension-endpoints',
      for: leases,
      watches: [watch(slices, keyOf)],
      reconcile: async (key) => {
        const cached = { lease: leases.get(key), slice: slices.get(key) };
        if (!cached.lease && !cached.slice) {
          silence.forget(key);
          return;
        }
        const { name, namespace } = parseKey(key);
        // The cache may be behind, and a server that was down has missed renewals.
        const read = async () => {
          const [lease, slice] = await Promise.all([
            client.of(Lease).find(name, { namespace }),
            client.of(EndpointSlice).find(name, { namespace }),
          ]);
          return { lease, slice };
        };
        const decision = await silence.look(key, cached, { read, now: () => clock.now() });
        if ('lookAgainMs' in decision) return { requeueAfterMs: decision.lookAgainMs };
        const { lease, slice } = decision.remove;
        log.warn('an instance of the extension is unreachable: no more requests are sent there', slice ?? lease, {
          instance: lease?.spec?.holderIdentity,
        });
        // First the Lease: one that was renewed meanwhile is a Conflict, and the slice stays.
        if (lease) await client.of(Lease).delete(name, unchanged(lease)).catch(ignoreNotFound);
        if (slice) await client.of(EndpointSlice).deleteExactly(slice).catch(ignoreNotFound);
        silence.forget(key);
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
