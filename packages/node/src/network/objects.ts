import { EndpointSlice, Namespace, NetworkPolicy, Node, type Persisted, Pod, Service } from '@vireo/api';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { type Client, type Clock, Informers, type Log } from '@vireo/kube';
import { isIn, podAddresses } from './addresses.ts';
import { looksElsewhere } from './policies.ts';
import type { Names } from './zone.ts';

/** On EndpointSlices: the Service that they belong to. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

/** In the index `scope` of NetworkPolicies: those that look at pods of other namespaces. */
export const ELSEWHERE = 'elsewhere';

type Namespaced = { readonly metadata: { readonly namespace?: string; readonly name?: string } };
const inNamespace = { namespace: ({ metadata }: Namespaced) => [metadata.namespace ?? ''] };

/** The Service that a slice belongs to, as a key. */
export const serviceKeyOf = ({ metadata }: EndpointSlice): string =>
  `${metadata.namespace}/${metadata.labels?.[SERVICE_NAME_LABEL] ?? ''}`;

/** What the network reads of a pod: a node follows those of the whole cluster. */
export function podForNetwork(pod: Persisted<Pod>): Persisted<Pod> {
  const { apiVersion, kind, metadata, spec, status } = pod;
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels } = metadata;
  const { phase, podIP, podIPs, hostIP } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: {
      ...{ name, namespace, uid, resourceVersion, creationTimestamp, labels },
      ...(deletionTimestamp && { deletionTimestamp }),
    },
    spec: {
      ...(spec?.nodeName && { nodeName: spec.nodeName }),
      containers: (spec?.containers ?? [])
        .filter(({ ports }) => ports?.length)
        .map(({ name: of, ports }) => ({ name: of, ports })),
    },
    status: { phase, podIP, podIPs, hostIP },
  } as Persisted<Pod>;
}

/** What the network of a node follows of the cluster. */
export function networkObjects(client: Client, { log, clock }: { log: Log; clock: Clock }) {
  const informers = new Informers(client, { log, clock });
  return {
    informers,
    services: informers.for(Service, {
      indexes: { clusterIp: ({ spec }) => (spec?.clusterIPs ?? []).filter((address) => address !== 'None') },
    }),
    slices: informers.for(EndpointSlice, { indexes: { service: (slice) => [serviceKeyOf(slice)] } }),
    policies: informers.for(NetworkPolicy, {
      indexes: { ...inNamespace, scope: (policy) => (looksElsewhere(policy) ? [ELSEWHERE] : []) },
    }),
    namespaces: informers.for(Namespace),
    nodes: informers.for(Node),
    pods: informers.for(Pod, {
      trim: podForNetwork,
      indexes: {
        ...inNamespace,
        vmi: ({ metadata }) => [metadata.labels?.[CREATED_BY_LABEL] ?? ''],
        node: ({ spec }) => [spec?.nodeName ?? ''],
        address: podAddresses,
      },
    }),
  };
}

/** The objects that the network of a node follows. */
export type NetworkObjects = ReturnType<typeof networkObjects>;

/** The names of a cluster. `ranges`: whose addresses are its own. */
export const namesOf = (
  { services, slices, namespaces }: NetworkObjects,
  domain: string,
  ranges: readonly string[],
): Names => ({
  domain,
  service: (namespace, name) => services.get(`${namespace}/${name}`),
  slices: (namespace, service) => slices.byIndex('service', `${namespace}/${service}`),
  byClusterIp: (address) => services.byIndex('clusterIp', address),
  hasNamespace: (name) => namespaces.get(name) !== undefined,
  isOwn: (address) => ranges.some((range) => isIn(range, address)),
});
