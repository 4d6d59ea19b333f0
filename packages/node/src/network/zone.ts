import { isIP, isIPv4 } from 'node:net';
import type { EndpointSlice, Service } from '@vireo/api';
import { canonical6, type Resolution, type Zone } from '@vireo/network';

/** What a zone is made of; looked up anew for each question. */
export interface Names {
  readonly domain: string;
  service(namespace: string, name: string): Service | undefined;
  slices(namespace: string, service: string): readonly EndpointSlice[];
  /** The Services that have a cluster IP. */
  byClusterIp(address: string): readonly Service[];
  hasNamespace(name: string): boolean;
  /** Whether an address is one of this cluster's, so that nobody else can know its name. */
  isOwn(address: string): boolean;
}

/** Seconds for which resolvers may keep a reply: endpoints come and go. */
const TTL = 5;
const NOT_FOUND: Resolution = { exists: false, records: [] };
type Records = Resolution['records'];
const found = (records: Records = []): Resolution => ({ exists: true, records });

/** The names of a cluster, as Kubernetes' DNS specification has them. */
export const clusterZone = (names: Names): Zone => ({
  resolve(name, type) {
    if (name.endsWith('.in-addr.arpa') || name.endsWith('.ip6.arpa')) return reverse(names, name, type);
    if (name === names.domain) return found();
    if (!name.endsWith(`.${names.domain}`)) return undefined;
    const labels = name
      .slice(0, -names.domain.length - 1)
      .split('.')
      .reverse();
    if (name === `dns-version.${names.domain}`)
      return found(type === 'TXT' ? [{ name, type: 'TXT', ttl: TTL, data: '1.1.0' }] : []);
    const [kind, namespace, ...rest] = labels;
    if (kind === 'svc') return namespace === undefined ? found() : inNamespace(names, name, type, namespace, rest);
    if (kind === 'pod') return pod(names, name, type, namespace, rest);
    return NOT_FOUND;
  },
});

function inNamespace(names: Names, name: string, type: string, namespace: string, rest: readonly string[]): Resolution {
  const [serviceName, ...below] = rest;
  if (serviceName === undefined) return names.hasNamespace(namespace) ? found() : NOT_FOUND;
  const service = names.service(namespace, serviceName);
  if (!service) return NOT_FOUND;
  if (below.length === 0) return ofService(names, name, type, service);
  const [first = '', second = ''] = below;
  // _http._tcp.web.default.svc.cluster.local
  if (below.length === 2 && second.startsWith('_') && first.startsWith('_'))
    return serviceRecords(names, name, type, service, second.slice(1), first.slice(1));
  if (below.length === 1 && !first.startsWith('_')) {
    const addresses = endpointsOf(names, service)
      .filter((each) => labelOf(each) === first)
      .map(({ address }) => address);
    return addresses.length > 0 ? found(addressRecords(name, type, addresses)) : NOT_FOUND;
  }
  return NOT_FOUND;
}

function ofService(names: Names, name: string, type: string, service: Service): Resolution {
  const { spec = {} } = service;
  if (spec.type === 'ExternalName')
    return found(spec.externalName ? [{ name, type: 'CNAME', ttl: TTL, data: spec.externalName }] : []);
  if (type === 'SRV') return found((spec.ports ?? []).flatMap((port) => srvOf(names, name, service, port)));
  if (spec.clusterIP !== 'None')
    return found(addressRecords(name, type, spec.clusterIPs ?? (spec.clusterIP ? [spec.clusterIP] : [])));
  const addresses = [...new Set(endpointsOf(names, service).map(({ address }) => address))];
  // A headless Service without endpoints has no name, so that clients wait rather than give up.
  return addresses.length > 0 ? found(addressRecords(name, type, addresses)) : NOT_FOUND;
}

const addressRecords = (name: string, type: string, addresses: readonly string[]): Records =>
  addresses.flatMap((data) => {
    const kind = isIPv4(data) ? 'A' : 'AAAA';
    return isIP(data) && (type === kind || type === 'ANY') ? [{ name, type: kind, ttl: TTL, data } as const] : [];
  });

type Port = NonNullable<NonNullable<Service['spec']>['ports']>[number];

function serviceRecords(
  names: Names,
  name: string,
  type: string,
  service: Service,
  port: string,
  protocol: string,
): Resolution {
  const wanted = (service.spec?.ports ?? []).find(
    (each) => each.name === port && (each.protocol ?? 'TCP').toLowerCase() === protocol,
  );
  if (!wanted) return NOT_FOUND;
  return found(type === 'SRV' ? srvOf(names, name, service, wanted) : []);
}

function srvOf(names: Names, name: string, service: Service, port: Port): Records {
  const { metadata, spec } = service;
  const base = `${metadata.name}.${metadata.namespace}.svc.${names.domain}`;
  const record = (target: string, number: number) =>
    ({ name, type: 'SRV', ttl: TTL, data: { priority: 0, weight: 100, port: number, target } }) as const;
  if (spec?.clusterIP !== 'None') return [record(base, port.port)];
  const records = endpointsOf(names, service).map((endpoint) => {
    const number = endpoint.ports.find((each) => (each.name ?? '') === (port.name ?? ''))?.port ?? port.port;
    return record(`${labelOf(endpoint)}.${base}`, number);
  });
  // An endpoint with addresses of both families has one name.
  return [...new Map(records.map((each) => [`${each.data.target} ${each.data.port}`, each])).values()];
}

/** What an endpoint is called below its Service. */
const labelOf = ({ address, hostname }: NamedEndpoint): string => hostname ?? address.replaceAll(/[.:]/g, '-');

interface NamedEndpoint {
  readonly address: string;
  readonly hostname?: string;
  readonly ports: NonNullable<EndpointSlice['ports']>;
}

const endpointsOf = (names: Names, { metadata }: Service): NamedEndpoint[] =>
  names.slices(metadata.namespace ?? '', metadata.name ?? '').flatMap((slice) =>
    (slice.endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses, hostname }) =>
        addresses.map((address) => ({
          address,
          ports: slice.ports ?? [],
          ...(hostname && { hostname: hostname.toLowerCase() }),
        })),
      ),
  );

/** 10-244-0-7.default.pod.cluster.local, or fd00--7 with IPv6 */
function pod(
  names: Names,
  name: string,
  type: string,
  namespace: string | undefined,
  rest: readonly string[],
): Resolution {
  if (namespace === undefined || !names.hasNamespace(namespace)) return namespace === undefined ? found() : NOT_FOUND;
  const [label, ...others] = rest;
  if (label === undefined) return found();
  const [address] = [label.replaceAll('-', '.'), label.replaceAll('-', ':')].filter((each) => isIP(each) !== 0);
  return others.length === 0 && address ? found(addressRecords(name, type, [address])) : NOT_FOUND;
}

/** 1.0.96.10.in-addr.arpa, or the 32 digits of an IPv6 address from the last to the first and ip6.arpa */
function reverse(names: Names, name: string, type: string): Resolution | undefined {
  const address = reversedAddress(name);
  if (address === undefined || !names.isOwn(address)) return undefined;
  const targets = names
    .byClusterIp(address)
    .map(({ metadata }) => `${metadata.name}.${metadata.namespace}.svc.${names.domain}`);
  if (targets.length === 0) return NOT_FOUND;
  return found(type === 'PTR' ? targets.map((data) => ({ name, type: 'PTR', ttl: TTL, data }) as const) : []);
}

function reversedAddress(name: string): string | undefined {
  const labels = name.split('.').slice(0, -2).reverse();
  if (name.endsWith('.in-addr.arpa')) return isIPv4(labels.join('.')) ? labels.join('.') : undefined;
  if (labels.length !== 32 || !labels.every((label) => /^[\da-f]$/.test(label))) return undefined;
  return canonical6(labels.join('').replace(/.{4}(?=.)/g, '$&:'));
}
