import { isIPv6 } from 'node:net';
import type { EndpointSlice, Pod, Service } from '@vireo/api';
import type { Scene } from '../scene.ts';
import { differences } from './differences.ts';
import type { KernelNetwork } from './kernel.ts';
import { endpointsOf, reachable, type Table } from './table.ts';

const SERVICE_NAME = 'kubernetes.io/service-name';

/**
 * What can be connected to, as the table names it: the map that leads to chains, the set of what leads nowhere, and the map and
 * the chains that choose an endpoint for all Services.
 */
const ENTRANCES = {
  services: { unserved: 'unserved', endpoints: 'endpoints', choice: 'choose' },
  external: { unserved: 'unservedExternal', endpoints: 'externalEndpoints', choice: 'chooseForExternal' },
  nodePorts: { unserved: 'unservedNodePorts', endpoints: 'nodePortEndpoints', choice: 'chooseForNodePort' },
} as const;
type EntranceName = keyof typeof ENTRANCES;
const NAMES = Object.keys(ENTRANCES) as EntranceName[];

/** What the names of IPv4 and IPv6 end in. */
const SUFFIXES = ['', '6'] as const;
type Suffix = (typeof SUFFIXES)[number];

/** Something that can be connected to, with where it leads. */
interface Way {
  readonly entrance: EntranceName;
  readonly suffix: Suffix;
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
  SUFFIXES.filter((suffix) => service.spec?.clusterIPs?.some((address) => suffixOf(address) === suffix)).flatMap(
    (suffix) => waysOfFamily(suffix, service, slices),
  );

const suffixOf = (address: string): Suffix => (isIPv6(address) ? '6' : '');

function waysOfFamily(suffix: Suffix, { spec = {}, status }: Service, slices: readonly EndpointSlice[]): Way[] {
  const ingress = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
  const ofFamily = slices.filter(({ addressType }) => addressType === (suffix ? 'IPv6' : 'IPv4'));
  return (spec.ports ?? []).flatMap(({ name = '', port, nodePort, protocol = 'TCP' }) => {
    const word = protocol.toLowerCase();
    const found = ofFamily.flatMap(({ endpoints: all = [], ports = [] }) => {
      const target = ports.find((each) => (each.name ?? '') === name && (each.protocol ?? 'TCP') === protocol);
      const ready = all.filter(({ conditions }) => conditions?.ready !== false);
      return target ? ready.flatMap(({ addresses }) => addresses.map((address) => `${address}:${target.port}`)) : [];
    });
    const endpoints = [...new Set(found)].sort();
    const at = (entrance: EntranceName, addresses: readonly string[]): Way[] =>
      addresses
        .filter((address) => suffixOf(address) === suffix)
        .map((address) => ({ entrance, suffix, key: `${address} . ${word} . ${port}`, endpoints }));
    return [
      ...at('services', spec.clusterIPs ?? []),
      ...at('external', ingress),
      ...(nodePort ? [{ entrance: 'nodePorts', suffix, key: `${word} . ${nodePort}`, endpoints } as const] : []),
    ];
  });
}

function wrongWays(table: Table, ways: readonly Way[]): string[] {
  const entrances = SUFFIXES.flatMap((suffix) => NAMES.map((name) => ({ name, suffix })));
  const used = reachable(
    table,
    entrances.flatMap(({ name, suffix }) => elements(table, `${name}${suffix}`).map(([, chain]) => chain)),
  );
  const left = [...table.chains.keys(), ...table.sets.keys()].filter(
    (name) => name.startsWith('service/') && !used.has(name),
  );
  return [
    ...entrances.flatMap(({ name, suffix }) =>
      wrongEntrance(
        table,
        name,
        suffix,
        ways.filter((way) => way.entrance === name && way.suffix === suffix),
      ),
    ),
    ...SUFFIXES.flatMap((suffix) =>
      differences(
        `set openNodePorts${suffix}`,
        elements(table, `openNodePorts${suffix}`).map(([key]) => key),
        ways.filter((way) => way.entrance === 'nodePorts' && way.suffix === suffix).map(({ key }) => key),
      ),
    ),
    ...left.map((name) => `chain or set ${name}: belongs to nothing`),
  ];
}

const elements = ({ sets }: Table, name: string): [string, string][] => [...(sets.get(name) ?? [])];

function wrongEntrance(table: Table, name: EntranceName, suffix: Suffix, ways: readonly Way[]): string[] {
  const entrance = ENTRANCES[name];
  const map = `${name}${suffix}`;
  const unserved = `${entrance.unserved}${suffix}`;
  const shared = `${entrance.endpoints}${suffix}`;
  const counted = countedWays(table, shared, `${entrance.choice}${suffix}`);
  const led = elements(table, map);
  const served = ways.filter(({ endpoints }) => endpoints.length > 0);
  const text = (key: string, endpoints: readonly string[]): string => `${key} → ${endpoints.join(', ')}`;
  return [
    ...differences(
      map,
      [...led, ...counted].map(([key, chain]) => text(key, endpointsOf(table, chain, key))),
      served.map(({ key, endpoints }) => text(key, endpoints)),
    ),
    ...led
      .filter(([key]) => counted.some(([other]) => other === key))
      .map(([key]) => `${map}: ${key} leads to a chain, and sets tell how many endpoints it has`),
    ...differences(
      `set ${unserved}`,
      elements(table, unserved).map(([key]) => key),
      ways.filter((way) => !served.includes(way)).map(({ key }) => key),
    ),
    ...strayCounts(table, shared),
    ...strayEndpoints(table, shared, ways),
  ];
}

/** The sets that tell how many endpoints there are: each is of what has more than the lower half of those that are left. */
const HALVES = [8, 4, 2, 1] as const;
const countedSet = (shared: string): string => `${shared}Counted`;
const halfSet = (shared: string, half: number): string => `${shared}Upper${half}`;

/** What sets tell the number of endpoints of, with the chain to which they lead. */
const countedWays = (table: Table, shared: string, choice: string): [key: string, chain: string][] =>
  elements(table, countedSet(shared)).map(([key]) => {
    const halves = HALVES.filter((half) => table.sets.get(halfSet(shared, half))?.has(key));
    return [key, `${choice}/${halves.reduce<number>((sum, half) => sum + half, 1)}`];
  });

/** What sets tell to have many endpoints, although none says that it has any. */
const strayCounts = (table: Table, shared: string): string[] =>
  HALVES.map((half) => halfSet(shared, half)).flatMap((set) =>
    elements(table, set)
      .filter(([key]) => !table.sets.get(countedSet(shared))?.has(key))
      .map(([key]) => `set ${set}: ${key} should not be there`),
  );

/** Endpoints of what is no way, or of more than it has. */
function strayEndpoints(table: Table, shared: string, ways: readonly Way[]): string[] {
  const counts = new Map(ways.map(({ key, endpoints }) => [key, endpoints.length]));
  return elements(table, shared).flatMap(([element]) => {
    const at = element.lastIndexOf(' . ');
    const isWanted = Number(element.slice(at + 3)) < (counts.get(element.slice(0, at)) ?? 0);
    return isWanted ? [] : [`map ${shared}: ${element} should not be there`];
  });
}
