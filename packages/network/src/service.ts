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
};

/** The rules that lead to a Service's endpoints. One without endpoints is refused at once. */
export function serviceFragment(service: ServicePort): Fragment {
  const fragment: MutableFragment = { chains: {}, sets: {}, elements: [] };
  const family = FAMILIES[service.family];
  const { id, endpoints, externalEndpoints = endpoints, sourceRanges } = service;
  const name = chain(`service/${id}`);
  const hasOwnWay = service.externalEndpoints !== undefined;
  const outside = hasOwnWay ? chain(`${name}/external`) : name;
  lead(fragment, service, name, endpoints);
  if (hasOwnWay) lead(fragment, service, outside, externalEndpoints);
  for (const address of service.internal) addAddress(fragment, INTERNAL, service, address, endpoints, name);
  if (sourceRanges && externalEndpoints.length > 0) {
    const guarded = chain(`${name}/ranges`);
    const ranges = sourceRanges.map(family.range).join(', ');
    fragment.chains[guarded] = ranges
      ? [`${family.ip} saddr != { ${ranges} } drop`, `goto ${outside}`]
      : // Whoever may connect has addresses of the other family.
        ['drop'];
    for (const address of service.external)
      addAddress(fragment, EXTERNAL, service, address, externalEndpoints, guarded);
  } else {
    for (const address of service.external)
      addAddress(fragment, EXTERNAL, service, address, externalEndpoints, outside);
  }
  if (service.nodePort !== undefined) {
    const key = `${service.protocol} . ${port(service.nodePort)}`;
    fragment.elements.push(
      externalEndpoints.length > 0
        ? { family: 'inet', set: `nodePorts${family.suffix}`, key, value: `goto ${outside}` }
        : { family: 'inet', set: `unservedNodePorts${family.suffix}`, key },
    );
  }
  return fragment;
}

/** The map that leads on from addresses of a kind, and the set of those that lead nowhere. */
interface AddressKind {
  readonly served: string;
  readonly unserved: string;
}
const INTERNAL: AddressKind = { served: 'services', unserved: 'unserved' };
const EXTERNAL: AddressKind = { served: 'external', unserved: 'unservedExternal' };

function addAddress(
  { elements }: MutableFragment,
  { served, unserved }: AddressKind,
  service: ServicePort,
  address: string,
  endpoints: readonly Endpoint[],
  target: string,
): void {
  const { address: checked, suffix } = FAMILIES[service.family];
  const key = `${checked(address)} . ${service.protocol} . ${port(service.port)}`;
  elements.push(
    endpoints.length > 0
      ? { family: 'inet', set: `${served}${suffix}`, key, value: `goto ${target}` }
      : { family: 'inet', set: `${unserved}${suffix}`, key },
  );
}

/** Adds the chain that chooses an endpoint. */
function lead(fragment: MutableFragment, service: ServicePort, name: string, endpoints: readonly Endpoint[]): void {
  if (endpoints.length === 0) return;
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
