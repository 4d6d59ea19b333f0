import { EndpointSlice, Event, Service } from '@vireo/api';
import { pause } from '@vireo/kube';
import { SERVICE_NAME_LABEL } from '@vireo/node/network/objects.ts';
import type { Connection } from '../connection.ts';
import { waitFor } from '../waitFor.ts';

/** Controllers take a moment; other clusters may take longer, or never give an address. */
const TIMEOUT_MS = 5_000;
const INTERVAL_MS = 100;
/** For nodes to say which ports they do not lead to a Service. */
const OBJECTION_MS = 500;

/**
 * Waits until a new Service has what it is going to have: ready endpoints if a VM is ready, and the address of its load
 * balancer. Returns what events warn of. What the user may not see is not waited for.
 */
export async function untilServed(
  { client, namespace }: Connection,
  name: string,
  isReady: boolean,
): Promise<readonly string[]> {
  const at = { namespace };
  const warnings = async (service: Service | undefined): Promise<string[]> => {
    const fieldSelector = `involvedObject.uid=${service?.metadata.uid ?? ''},type=Warning`;
    const { items } = await client
      .of(Event)
      .list({ ...at, fieldSelector })
      .catch(() => ({ items: [] }));
    return [...new Set(items.flatMap(({ message }) => message ?? []))];
  };
  const service = await waitFor(
    async () => {
      const found = await client
        .of(Service)
        .find(name, at)
        .catch(() => undefined);
      const isBalanced = found?.spec?.type !== 'LoadBalancer' || !!found.status?.loadBalancer?.ingress?.length;
      // A load balancer without an address has been refused one.
      if (!isBalanced && (await warnings(found)).length > 0) return found;
      return isBalanced && (!isReady || (await hasEndpoints())) ? found : undefined;
    },
    { timeoutMs: TIMEOUT_MS, intervalMs: INTERVAL_MS },
  );
  if (!service?.spec?.ports?.some(({ nodePort }) => nodePort) && !service?.spec?.externalIPs?.length) return [];
  await pause(OBJECTION_MS, new AbortController().signal);
  return warnings(service);

  async function hasEndpoints(): Promise<boolean> {
    const labelSelector = `${SERVICE_NAME_LABEL}=${name}`;
    const { items } = await client
      .of(EndpointSlice)
      .list({ ...at, labelSelector })
      .catch(() => ({ items: undefined }));
    return items?.some(({ endpoints }) => endpoints?.some(({ conditions }) => conditions?.ready !== false)) ?? true;
  }
}
