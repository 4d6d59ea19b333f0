import { isIPv6 } from 'node:net';
import type { EndpointSlice, Endpoints, Lease } from '@vireo/api';
import {
  EXTENSION_LABELS,
  extensionObjectName,
  KUBEVIRT_NAMESPACE,
  VERSION_ANNOTATION,
  VIRT_API_PORT_NAME,
  VIRT_API_SERVICE,
} from '@vireo/api/kinds/kubevirt/names.ts';

/** One process of the extension, and where it is reached. */
export interface Instance {
  /** Part of the names of its objects: a DNS label. */
  readonly name: string;
  /** Tells this process from an earlier one of the same name. */
  readonly holder: string;
  /** An IP address that API servers reach. */
  readonly address: string;
  readonly port: number;
  /** Of Vireo, for people. */
  readonly version?: string;
}

/** The slice that leads the Service to an instance. */
export const sliceOf = ({ name, address, port }: Instance): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    name: extensionObjectName(name),
    namespace: KUBEVIRT_NAMESPACE,
    labels: { ...EXTENSION_LABELS, 'kubernetes.io/service-name': VIRT_API_SERVICE },
  },
  addressType: isIPv6(address) ? 'IPv6' : 'IPv4',
  endpoints: [{ addresses: [address], conditions: { ready: true } }],
  ports: [{ name: VIRT_API_PORT_NAME, port, protocol: 'TCP' }],
});

/** Whether a slice leads to where the instance is. */
export function isSliceOf(instance: Instance, { addressType, endpoints, ports }: EndpointSlice): boolean {
  const wanted = sliceOf(instance);
  return (
    addressType === wanted.addressType &&
    endpoints?.length === 1 &&
    endpoints[0]?.addresses[0] === instance.address &&
    endpoints[0].conditions?.ready !== false &&
    ports?.length === 1 &&
    ports[0]?.port === instance.port &&
    ports[0].name === VIRT_API_PORT_NAME
  );
}

/**
 * The same as Endpoints, for API servers that do not look at slices. They are not to be mirrored into slices: those are
 * there already.
 */
export const endpointsOf = (slices: readonly EndpointSlice[]): Endpoints => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: {
    name: VIRT_API_SERVICE,
    namespace: KUBEVIRT_NAMESPACE,
    labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
  },
  // Instances on one host have ports of their own, so that each is a subset.
  subsets: slices
    .toSorted((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''))
    .map(({ endpoints, ports = [] }) => ({
      addresses: (endpoints ?? []).flatMap(({ addresses }) => addresses.map((ip) => ({ ip }))),
      ports: ports.map(({ name, port = 0, protocol = 'TCP' }) => ({ ...(name && { name }), port, protocol })),
    })),
});

/** What Endpoints lead to, whichever way servers have grouped it. */
export const targetsOf = ({ subsets = [] }: Endpoints): string[] =>
  subsets
    .flatMap(({ addresses = [], ports = [] }) =>
      addresses.flatMap(({ ip }) => ports.map(({ name, port }) => `${ip} ${port} ${name}`)),
    )
    .toSorted();

/** The Lease by which an instance says that it lives. */
export function leaseOf(
  { name, holder, version }: Instance,
  durationSeconds: number,
  nowMs: number,
  before?: Lease,
): Lease {
  const now = new Date(nowMs).toISOString().replace('Z', '000Z');
  const isRenewal = before?.spec?.holderIdentity === holder;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...(before?.metadata ?? {
        name: extensionObjectName(name),
        namespace: KUBEVIRT_NAMESPACE,
        labels: { ...EXTENSION_LABELS },
      }),
      ...(version && { annotations: { ...before?.metadata.annotations, [VERSION_ANNOTATION]: version } }),
    },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: durationSeconds,
      acquireTime: isRenewal ? before.spec?.acquireTime : now,
      renewTime: now,
      leaseTransitions: before ? (before.spec?.leaseTransitions ?? 0) + (isRenewal ? 0 : 1) : 0,
    },
  };
}
