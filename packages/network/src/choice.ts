import { FAMILIES, type IpFamily } from './families.ts';

/**
 * How a connection gets one of a Service's endpoints. These chains are the same for all Services: they differ by the number
 * of endpoints alone, and look them up in maps by what the connection was made to and a number by lot. So one endpoint more
 * changes elements, no chain. nft 1.0.6 can load such rules only together with their maps, so all are there always.
 *
 * Which of the chains it is, sets tell: for each element of a map that leads to a chain, the kernel follows all such elements
 * of the table to look for loops, so that one endpoint more would cost as much as there are Services.
 */
const MOST_ENDPOINTS = 16;
/** Halves of the numbers of endpoints that are left, from all of them to two. */
const HALVES = [8, 4, 2, 1] as const;

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

/**
 * The sets that lead to the chain for so many endpoints: the first one has everything that is chosen in this way, each of the
 * others what has more endpoints than the lower half of those that are left. Undefined if there are too many.
 */
export function countSets(family: IpFamily, way: Way, count: number): string[] | undefined {
  if (count > MOST_ENDPOINTS) return undefined;
  const map = endpointMap(family, way);
  return [countedSet(map), ...HALVES.filter((half) => (count - 1) & half).map((half) => halfSet(map, half))];
}

const countedSet = (map: string): string => `${map}Counted`;
const halfSet = (map: string, half: number): string => `${map}Upper${half}`;

/** The rule that leads on what has endpoints, as sets tell. */
export function countedRule(family: IpFamily, way: Way): string {
  const { ip, suffix } = FAMILIES[family];
  const { chain, key } = NAMES[way];
  return `${key(ip)} @${countedSet(endpointMap(family, way))} goto ${chain}${suffix}/1-${MOST_ENDPOINTS}`;
}

/** The declarations of the maps and sets. */
export function choiceMaps(family: IpFamily): string {
  const { ip, suffix } = FAMILIES[family];
  return WAYS.flatMap(({ map, key }) => {
    const name = `${map}${suffix}`;
    const sets = [countedSet(name), ...HALVES.map((half) => halfSet(name, half))];
    return [
      `map ${name} { typeof ${key(ip)} . ${byLot(2)} : ${ip} daddr . th dport; }`,
      ...sets.map((set) => `set ${set} { typeof ${key(ip)}; }`),
    ];
  }).join('\n  ');
}

/** The chains, for every number of endpoints, and those that sets lead there. */
export function choiceChains(family: IpFamily): string {
  const { ip, suffix } = FAMILIES[family];
  const counts = Array.from({ length: MOST_ENDPOINTS }, (_, index) => index + 1);
  const text = (name: string, rules: readonly string[]): string => `chain ${name} {\n    ${rules.join('\n    ')}\n  }`;
  return WAYS.flatMap(({ map, chain, key }) => {
    const name = (from: number, to: number): string => `${chain}${suffix}/${from === to ? from : `${from}-${to}`}`;
    const halves = HALVES.flatMap((half) =>
      counts
        .filter((count) => (count - 1) % (2 * half) === 0)
        .map((from) => {
          const middle = from + half;
          const upper = `${key(ip)} @${halfSet(`${map}${suffix}`, half)} goto ${name(middle, middle + half - 1)}`;
          return text(name(from, middle + half - 1), [upper, `goto ${name(from, middle - 1)}`]);
        }),
    );
    return [
      ...counts.map((count) =>
        text(name(count, count), [
          `meta l4proto { tcp, udp, sctp } dnat ${ip} to ${key(ip)} . ${byLot(count)} map @${map}${suffix}`,
        ]),
      ),
      // A chain is declared before the chains that lead to it.
      ...halves.reverse(),
    ];
  }).join('\n  ');
}
