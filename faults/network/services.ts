import { isIPv6 } from 'node:net';
import type { EndpointSlice, Pod, Service } from '@vireo/api';
import type { Scene } from '../scene.ts';
import { differences } from './differences.ts';
import type { KernelNetwork } from './kernel.ts';
import { endpointsOf, reachable, type Table } from './table.ts';

const SERVICE_NAME = 'kubernetes.io/service-name';

/** The maps that lead to Services, and the sets of what leads nowhere. */
const MAPS = {
  ...{ services: 'unserved', external: 'unservedExternal', nodePorts: 'unservedNodePorts' },
  ...{ services6: 'unserved6', external6: 'unservedExternal6', nodePorts6: 'unservedNodePorts6' },
} as const;
type MapName = keyof typeof MAPS;

/** Something that can be connected to, with where it leads. */
interface Way {
  readonly map: MapName;
  readonly key: string;
  readonly endpoints: readonly string[];
}

/** The name of a Service, as guests ask for it. */
export const dnsName = ({ metadata }: Service): string => `${metadata.name}.${metadata.namespace}.svc.cluster.local`;

/** Where Services, their endpoints and their names are not as the objects say, or belong to nothing. */
export function wrongServices({ services, slices, pods }: Scene, { tables, names, hasDhcp }: KernelNetwork): string[] {
  const ways = services.flatMap((service) => waysTo(service, slicesOf(service, slices)));
  return [
    ...services.flatMap((service) => wrongSlices(service, slicesOf(service, slices), pods)),
    ...(tables.inet ? wrongWays(tables.inet, ways) : []),
    ...services
      .filter((service) => names[dnsName(service)] !== service.spec?.clusterIP)
      .map((service) => `${dnsName(service)} should be ${service.spec?.clusterIP}, is ${names[dnsName(service)]}`),
    ...(hasDhcp ? [] : ['guests have no DHCP server']),
  ];
}

const slicesOf = ({ metadata }: Service, slices: readonly EndpointSlice[]): EndpointSlice[] =>
  slices.filter(
    (slice) =>
      slice.metadata.namespace === metadata.namespace && slice.metadata.labels?.[SERVICE_NAME] === metadata.name,
  );

/** A Service with a selector has the pods as endpoints that it selects and that are ready. */
function wrongSlices({ metadata, spec }: Service, slices: readonly EndpointSlice[], pods: readonly Pod[]): string[] {
  const selector = Object.entries(spec?.selector ?? {});
  if (selector.length === 0) return [];
  const wanted = pods.filter(
    (pod) =>
      pod.metadata.namespace === metadata.namespace &&
      pod.metadata.deletionTimestamp === undefined &&
      selector.every(([key, value]) => pod.metadata.labels?.[key] === value) &&
      pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
  );
  const found = slices.flatMap(({ endpoints = [] }) => endpoints).filter(({ conditions }) => conditions?.ready);
  const families = new Set((spec?.clusterIPs ?? []).map(isIPv6));
  return differences(
    `endpoints of Service ${metadata.name}`,
    found.flatMap(({ addresses }) => addresses),
    wanted.flatMap(({ status }) =>
      (status?.podIPs ?? []).flatMap(({ ip = '' }) => (families.has(isIPv6(ip)) ? ip : [])),
    ),
  );
}

const waysTo = (service: Service, slices: readonly EndpointSlice[]): Way[] =>
  [false, true]
    .filter((is6) => service.spec?.clusterIPs?.some((address) => isIPv6(address) === is6))
    .flatMap((is6) => waysOfFamily(is6, service, slices));

function waysOfFamily(is6: boolean, { spec = {}, status }: Service, slices: readonly EndpointSlice[]): Way[] {
  const ingress = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
  const ofFamily = slices.filter(({ addressType }) => addressType === (is6 ? 'IPv6' : 'IPv4'));
  return (spec.ports ?? []).flatMap(({ name = '', port, nodePort, protocol = 'TCP' }) => {
    const word = protocol.toLowerCase();
    const endpoints = ofFamily.flatMap(({ endpoints: all = [], ports = [] }) => {
      const target = ports.find((each) => (each.name ?? '') === name && (each.protocol ?? 'TCP') === protocol);
      const ready = all.filter(({ conditions }) => conditions?.ready !== false);
      return target ? ready.flatMap(({ addresses }) => addresses.map((address) => `${address}:${target.port}`)) : [];
    });
    const sorted = [...new Set(endpoints)].sort();
    const at = (map: MapName, addresses: readonly string[]): Way[] =>
      addresses
        .filter((address) => isIPv6(address) === is6)
        .map((address) => ({ map, key: `${address} . ${word} . ${port}`, endpoints: sorted }));
    return [
      ...at(is6 ? 'services6' : 'services', spec.clusterIPs ?? []),
      ...at(is6 ? 'external6' : 'external', ingress),
      ...(nodePort
        ? [{ map: is6 ? 'nodePorts6' : 'nodePorts', key: `${word} . ${nodePort}`, endpoints: sorted } as const]
        : []),
    ];
  });
}

function wrongWays(table: Table, ways: readonly Way[]): string[] {
  const elements = (set: string): [string, string][] => [...(table.sets.get(set) ?? [])];
  const maps = Object.entries(MAPS) as [MapName, string][];
  const used = reachable(
    table,
    maps.flatMap(([map]) => elements(map).map(([, chain]) => chain)),
  );
  const left = [...table.chains.keys(), ...table.sets.keys()].filter(
    (name) => name.startsWith('service/') && !used.has(name),
  );
  return [
    ...maps.flatMap(([map, unserved]) => {
      const own = ways.filter((way) => way.map === map);
      const served = own.filter(({ endpoints }) => endpoints.length > 0);
      const text = (key: string, endpoints: readonly string[]): string => `${key} → ${endpoints.join(', ')}`;
      return [
        ...differences(
          `map ${map}`,
          elements(map).map(([key, chain]) => text(key, endpointsOf(table, chain, key))),
          served.map(({ key, endpoints }) => text(key, endpoints)),
        ),
        ...differences(
          `set ${unserved}`,
          elements(unserved).map(([key]) => key),
          own.filter((way) => !served.includes(way)).map(({ key }) => key),
        ),
      ];
    }),
    ...left.map((name) => `chain or set ${name}: belongs to nothing`),
    ...ENDPOINT_MAPS.flatMap((map) => strayEndpoints(map, elements(map), ways)),
  ];
}

/** What keys of the maps lead to, by their keys and numbers: the same for all Services. */
const ENDPOINT_MAPS = ['endpoints', 'externalEndpoints', 'nodePortEndpoints'].flatMap((map) => [map, `${map}6`]);

/** Endpoints of what is no way, or of more than it has. */
function strayEndpoints(map: string, elements: readonly [string, string][], ways: readonly Way[]): string[] {
  const counts = new Map(
    ways
      .filter((way) => way.map.endsWith('6') === map.endsWith('6'))
      .map(({ key, endpoints }) => [key, endpoints.length]),
  );
  return elements.flatMap(([element]) => {
    const at = element.lastIndexOf(' . ');
    const isWanted = Number(element.slice(at + 3)) < (counts.get(element.slice(0, at)) ?? 0);
    return isWanted ? [] : [`map ${map}: ${element} should not be there`];
  });
}
