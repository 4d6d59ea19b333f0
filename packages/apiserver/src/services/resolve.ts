import { type EndpointSlice, notFound, type Service, unavailable } from '@vireo/api';
import type { Lookup } from '../strategies/strategy.ts';

/** A port of a Service, as webhook configurations and APIServices name it. */
export interface ServicePortReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Where to connect: a host name or an IP address, and a port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Finds an address of a Service now. Throws Kubernetes' errors when it has none. */
export type ResolveService = (reference: ServicePortReference) => Address;

/** The name that the certificate of a Service has to be valid for. */
export const serverNameOf = ({ namespace, name }: Pick<ServicePortReference, 'namespace' | 'name'>): string =>
  `${name}.${namespace}.svc`;

/** A host and a port as Go joins them; IPv6 addresses are in brackets. */
export const hostPort = ({ host, port }: Address): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/**
 * Resolves Services by what the store holds. `loopback` is where this server listens itself, which is what
 * `default/kubernetes:443` stands for.
 *
 * @example
 * const resolve = serviceResolver(lookup, () => ({ host: '127.0.0.1', port: 6443 }));
 * resolve({ namespace: 'system', name: 'machines', port: 443 }) // { host: '10.0.0.7', port: 8443 }
 */
export const serviceResolver =
  (lookup: Lookup, loopback: () => Address | undefined, random: () => number = Math.random): ResolveService =>
  (reference) => {
    const { namespace, name, port } = reference;
    const own = namespace === 'default' && name === 'kubernetes' && port === 443 ? loopback() : undefined;
    if (own) return own;
    const service = lookup.get('', 'services', namespace, name) as Service | undefined;
    if (!service) throw notFound({ group: '', resource: 'service' }, name);
    const { type = 'ClusterIP', externalName = '' } = service.spec ?? {};
    if (type === 'ExternalName') return { host: externalName, port };
    if (!REACHABLE.includes(type)) throw new Error(`unsupported service type ${JSON.stringify(type)}`);
    const servicePort = service.spec?.ports?.find((each) => each.port === port);
    if (!servicePort) throw unavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
    const addresses = readyAddresses(slicesOf(lookup, reference), servicePort.name ?? '', service);
    const chosen = addresses[Math.floor(random() * addresses.length)];
    if (!chosen) throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`);
    return chosen;
  };

const REACHABLE = ['ClusterIP', 'NodePort', 'LoadBalancer'];

/** The EndpointSlices of a Service. */
const slicesOf = (
  lookup: Lookup,
  { namespace, name }: Pick<ServicePortReference, 'namespace' | 'name'>,
): EndpointSlice[] =>
  (lookup.list('discovery.k8s.io', 'endpointslices', namespace) as EndpointSlice[]).filter(
    ({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name,
  );

/** The addresses that take traffic for a named port: of the Service's first IP family, else of any. */
function readyAddresses(slices: readonly EndpointSlice[], portName: string, service: Service): Address[] {
  const [family] = service.spec?.ipFamilies ?? [];
  const preferred = slices.filter(({ addressType }) => addressType === family).flatMap(addressesIn(portName));
  return preferred.length > 0 ? preferred : slices.flatMap(addressesIn(portName));
}

const addressesIn =
  (portName: string) =>
  ({ ports = [], endpoints = [] }: EndpointSlice): Address[] => {
    const port = ports.find(({ name = '' }) => name === portName)?.port;
    if (port === undefined) return [];
    return endpoints
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses: [host] }) => (host === undefined ? [] : [{ host, port }]));
  };
