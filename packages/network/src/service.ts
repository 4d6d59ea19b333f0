import { choiceChain, countSets, endpointMap, type Way } from './choice.ts';
import { FAMILIES, type IpFamily } from './families.ts';
import type { Element, Fragment } from './nft/fragment.ts';
import { chain, type Protocol, port } from './text.ts';

/** Where a port of a Service leads. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** One port of a Service. */
export interface ServicePort {
  /** `default/web/http` */
  readonly id: string;
  /** The family of all its addresses. */
  readonly family: IpFamily;
  readonly protocol: Protocol;
  readonly port: number;
  /** The addresses at which guests and nodes reach it. */
  readonly internal: readonly string[];
  /** The addresses at which others reach it, too: of load balancers, and external IPs. Those of other hosts do not count. */
  readonly external: readonly string[];
  readonly nodePort?: number;
  readonly endpoints: readonly Endpoint[];
  /** For connections to `external` and `nodePort`, where these go elsewhere: `externalTrafficPolicy: Local`. */
  readonly externalEndpoints?: readonly Endpoint[];
  /** Who may connect to `external`; all where missing. */
  readonly sourceRanges?: readonly string[];
  /** For how long a client keeps its endpoint. */
  readonly affinitySeconds?: number;
}

type MutableFragment = {
  chains: Record<string, readonly string[]>;
  sets: Record<string, string>;
  elements: Element[];
  groups: Record<string, readonly Element[]>;
};

/** The rules that lead to a Service's endpoints. One without endpoints is refused at once. */
export function serviceFragment(service: ServicePort): Fragment {
  const fragment: MutableFragment = { chains: {}, sets: {}, elements: [], groups: {} };
  const { id, endpoints, externalEndpoints, nodePort } = service;
  const inside = { name: chain(`service/${id}`), endpoints };
  const outside = externalEndpoints ? { name: chain(`service/${id}/external`), endpoints: externalEndpoints } : inside;
  for (const address of service.internal) lead(fragment, service, INTERNAL, addressKey(service, address), inside);
  for (const address of service.external) lead(fragment, service, EXTERNAL, addressKey(service, address), outside);
  if (nodePort !== undefined) {
    const key = `${service.protocol} . ${port(nodePort)}`;
    lead(fragment, service, NODE_PORT, key, outside);
    fragment.elements.push({ family: 'inet', set: `openNodePorts${FAMILIES[service.family].suffix}`, key });
  }
  return fragment;
}

/** What connections are made to: the map that leads on from there, and the set of what leads nowhere. */
interface Entrance {
  readonly served: string;
  readonly unserved: string;
  readonly way: Way;
}
const INTERNAL: Entrance = { served: 'services', unserved: 'unserved', way: 'internal' };
const EXTERNAL: Entrance = { served: 'external', unserved: 'unservedExternal', way: 'external' };
const NODE_PORT: Entrance = { served: 'nodePorts', unserved: 'unservedNodePorts', way: 'nodePort' };

/** Endpoints, and the name of the chain that chooses one where none of those of all Services does. */
interface Targets {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
}

const addressKey = (service: ServicePort, address: string): string =>
  `${FAMILIES[service.family].address(address)} . ${service.protocol} . ${port(service.port)}`;

/** Leads from one entrance to the endpoints. */
function lead(
  fragment: MutableFragment,
  service: ServicePort,
  { served, unserved, way }: Entrance,
  key: string,
  targets: Targets,
): void {
  const { family, sourceRanges, affinitySeconds } = service;
  const { suffix, address } = FAMILIES[family];
  const { endpoints } = targets;
  if (endpoints.length === 0) {
    fragment.elements.push({ family: 'inet', set: `${unserved}${suffix}`, key });
    return;
  }
  const isGuarded = way === 'external' && sourceRanges !== undefined;
  const shared = affinitySeconds === undefined ? choiceChain(family, way, endpoints.length) : undefined;
  const counts = shared === undefined || isGuarded ? undefined : countSets(family, way, endpoints.length);
  const all: Element[] = [];
  if (shared === undefined) addChain(fragment, service, targets);
  else
    for (const [index, each] of endpoints.entries())
      all.push({
        family: 'inet',
        set: endpointMap(family, way),
        key: `${key} . ${index}`,
        value: `${address(each.address)} . ${port(each.port)}`,
      });
  if (counts) all.push(...counts.map((set) => ({ family: 'inet', set, key }) as const));
  else {
    const chosen = shared ?? targets.name;
    const target = isGuarded ? guard(fragment, service, chosen) : chosen;
    all.push({ family: 'inet', set: `${served}${suffix}`, key, value: `goto ${target}` });
  }
  // What is in some sets must not be of one Service, and the rest of another that names the same address.
  fragment.groups[`${served}${suffix} ${key}`] = all;
}

/** Keeps out whoever may not connect to external addresses. */
function guard(fragment: MutableFragment, { id, family, sourceRanges = [] }: ServicePort, target: string): string {
  const { ip, range } = FAMILIES[family];
  const name = chain(`service/${id}/ranges`);
  const ranges = sourceRanges.map(range).join(', ');
  fragment.chains[name] = ranges
    ? [`${ip} saddr != { ${ranges} } drop`, `goto ${target}`]
    : // Whoever may connect has addresses of the other family.
      ['drop'];
  return name;
}

/** Adds the chain that chooses an endpoint of this Service. */
function addChain(fragment: MutableFragment, service: ServicePort, { name, endpoints }: Targets): void {
  const { protocol, affinitySeconds } = service;
  const { ip, type, address } = FAMILIES[service.family];
  if (affinitySeconds === undefined) {
    const targets = endpoints.map((each, index) => `${index} : ${address(each.address)} . ${port(each.port)}`);
    fragment.chains[name] = [
      `meta l4proto ${protocol} dnat ${ip} to numgen random mod ${endpoints.length} map { ${targets.join(', ')} }`,
    ];
    return;
  }
  const ways = endpoints.map((each) => {
    const way = chain(`${name}/${address(each.address).replaceAll(':', '-')}/${port(each.port)}`);
    fragment.sets[way] = `type ${type}; flags dynamic, timeout; timeout ${Math.trunc(affinitySeconds)}s;`;
    fragment.chains[way] = [
      `update @${way} { ${ip} saddr }`,
      `meta l4proto ${protocol} dnat ${ip} to ${service.family === 'IPv6' ? `[${each.address}]` : each.address}:${each.port}`,
    ];
    return way;
  });
  const choice = ways.map((way, index) => `${index} : goto ${way}`).join(', ');
  fragment.chains[name] = [
    ...ways.map((way) => `${ip} saddr @${way} goto ${way}`),
    `numgen random mod ${ways.length} vmap { ${choice} }`,
  ];
}
