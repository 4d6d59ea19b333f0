import { FAMILIES, type IpFamily } from './families.ts';

/**
 * How a connection gets one of a Service's endpoints. These chains are the same for all Services: they differ by the number
 * of endpoints alone, and look them up in maps by what the connection was made to and a number by lot. So one endpoint more
 * changes elements of maps, no chain. nft 1.0.6 can load such rules only together with their maps, so all are there always.
 */
const MOST_ENDPOINTS = 16;

/**
 * What a connection is made to: an address of the Service's own, or one that others may name, too, or a port of the node. Each
 * has maps of its own: whoever names the cluster IP of another Service as its external address is to lead nobody from there.
 */
export type Way = 'internal' | 'external' | 'nodePort';

interface Names {
  readonly map: string;
  readonly chain: string;
  readonly key: (ip: string) => string;
}
const byAddress = (ip: string): string => `${ip} daddr . meta l4proto . th dport`;
const NAMES: Readonly<Record<Way, Names>> = {
  internal: { map: 'endpoints', chain: 'choose', key: byAddress },
  external: { map: 'externalEndpoints', chain: 'chooseForExternal', key: byAddress },
  nodePort: { map: 'nodePortEndpoints', chain: 'chooseForNodePort', key: () => 'meta l4proto . th dport' },
};
const WAYS = Object.values(NAMES);
/** By lot, and what stands for it in the type of a map. */
const byLot = (count: number): string => `numgen random mod ${count}`;

/** The chain that chooses one of so many endpoints; undefined if there are too many. */
export const choiceChain = (family: IpFamily, way: Way, count: number): string | undefined =>
  count <= MOST_ENDPOINTS ? `${NAMES[way].chain}${FAMILIES[family].suffix}/${count}` : undefined;

/** The map of a family in which these chains look. */
export const endpointMap = (family: IpFamily, way: Way): string => `${NAMES[way].map}${FAMILIES[family].suffix}`;

/** The declarations of the maps. */
export function choiceMaps(family: IpFamily): string {
  const { ip, suffix } = FAMILIES[family];
  return WAYS.map(
    ({ map, key }) => `map ${map}${suffix} { typeof ${key(ip)} . ${byLot(2)} : ${ip} daddr . th dport; }`,
  ).join('\n  ');
}

/** The chains, for every number of endpoints. */
export function choiceChains(family: IpFamily): string {
  const { ip, suffix } = FAMILIES[family];
  const counts = Array.from({ length: MOST_ENDPOINTS }, (_, index) => index + 1);
  return WAYS.flatMap(({ map, chain, key }) =>
    counts.map(
      (count) => `chain ${chain}${suffix}/${count} {
    meta l4proto { tcp, udp, sctp } dnat ${ip} to ${key(ip)} . ${byLot(count)} map @${map}${suffix}
  }`,
    ),
  ).join('\n  ');
}
