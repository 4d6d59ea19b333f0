import { isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import { EndpointSlice } from '@vireo/api';
import { KUBEVIRT_NAMESPACE, METRICS_PORT_NAME, METRICS_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import { type Client, ignoreNotFound } from '@vireo/kube';
import { hostAddress } from '@vireo/kube/serving/hostAddress.ts';
import type { BindAddress } from '../options.ts';
import { isLoopback } from './health.ts';
import { hostLabel } from './instanceName.ts';

const at = { namespace: KUBEVIRT_NAMESPACE };

/**
 * The slice that leads Prometheus to a role of this host. Its name is that of the place and not of the process, so that
 * one that was killed leaves nothing behind that its successor does not take over.
 */
export const metricsSlice = (component: string, host: string, { host: address, port }: BindAddress): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    name: `${component}-metrics-${host}-${port}`,
    ...at,
    labels: { 'kubernetes.io/service-name': METRICS_SERVICE, 'endpointslice.kubernetes.io/managed-by': 'vireo' },
  },
  addressType: isIPv6(address) ? 'IPv6' : 'IPv4',
  endpoints: [{ addresses: [address], conditions: { ready: true } }],
  ports: [{ name: METRICS_PORT_NAME, port, protocol: 'TCP' }],
});

/** Has Prometheus find the metrics of a role, unless only this host can connect. The result takes that back. */
export async function publishMetrics(
  client: Client,
  component: string,
  { host }: BindAddress,
  { port }: { readonly port: number },
): Promise<() => Promise<void>> {
  if (isLoopback(host)) return async () => {};
  const isAny = host === '0.0.0.0' || host === '::';
  const slice = metricsSlice(component, hostLabel(hostname()), { host: isAny ? await hostAddress() : host, port });
  const { name = '' } = slice.metadata;
  const slices = client.of(EndpointSlice);
  await slices.patch(name, slice, { ...at, type: 'apply', fieldManager: 'vireo', force: true });
  return async () => {
    await slices.delete(name, at).catch(ignoreNotFound);
  };
}
