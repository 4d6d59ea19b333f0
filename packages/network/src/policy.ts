import { isIPv4, isIPv6 } from 'node:net';
import { FAMILIES } from './families.ts';
import type { Element, Fragment } from './nft/fragment.ts';
import { parseRange, toAddress } from './ranges.ts';
import { parseRange6, toAddress6 } from './ranges6.ts';
import { chain, ipv4, ipv6, type Protocol, port } from './text.ts';

export type Direction = 'ingress' | 'egress';

/** A range of addresses without some of its parts. */
export interface Block {
  readonly cidr: string;
  readonly except?: readonly string[];
}

/** A port that a policy permits; all of its protocol where there is no number. */
export interface PolicyPort {
  readonly protocol: Protocol;
  readonly port?: number;
  readonly endPort?: number;
}

/** One rule of a policy. */
export interface PolicyRule {
  /** Whom it permits; everybody where missing. */
  readonly peers?: { readonly addresses: readonly string[]; readonly blocks: readonly Block[] };
  /** All ports where missing. */
  readonly ports?: readonly PolicyPort[];
  /** Ports by name, for the guests that have one of that name; missing where the rule names none. */
  readonly namedPorts?: readonly { readonly address: string; readonly protocol: Protocol; readonly port: number }[];
}

/** A policy in one direction. */
export interface PolicyRules {
  /** `default/allow-web` */
  readonly id: string;
  readonly direction: Direction;
  readonly rules: readonly PolicyRule[];
}

/** The name of a policy's chain. */
export const policyChain = ({ id, direction }: Pick<PolicyRules, 'id' | 'direction'>): string =>
  chain(`policy/${id}/${direction}`);

const PEER = { ingress: 'saddr', egress: 'daddr' } as const;

/** The sets of one rule: those that pods are in change with them, and what refers to a set does not. */
const setsOf = (name: string, index: number, suffix: string) => {
  const start = `${name}/${index}${suffix && `/${suffix}`}`;
  return { members: chain(start), blocks: chain(`${start}/blocks`), ports: chain(`${start}/ports`) };
};

/** The chain of a policy. It ends without a verdict: the next policy may permit what this one does not. */
export function policyFragment(policy: PolicyRules): Fragment {
  const { direction, rules } = policy;
  const name = policyChain(policy);
  const sets: Record<string, string> = {};
  const elements = memberElements(policy);
  const lines: string[] = [];
  for (const [index, { peers, ports, namedPorts }] of rules.entries()) {
    const permit = (who: string): void => {
      if (!ports) lines.push(`${who}accept`);
      for (const each of ports ?? []) lines.push(`${who}${portText(each)} accept`);
    };
    // A rule without peers is for both families.
    if (!peers) permit('');
    for (const { ip, type, suffix, isOf } of Object.values(FAMILIES)) {
      const own = setsOf(name, index, suffix);
      // Ranges are apart: a member more or less changes one element, whatever else is in the set.
      const ranges = (peers?.blocks ?? []).filter(({ cidr }) => isOf(addressIn(cidr))).flatMap(blockRanges);
      if (peers) sets[own.members] = `type ${type};`;
      if (ranges.length > 0) sets[own.blocks] = `type ${type}; flags interval; auto-merge;`;
      elements.push(...ranges.map((key) => ({ family: 'inet', set: own.blocks, key }) as const));
      const permitted = [own.members, ...(ranges.length > 0 ? [own.blocks] : [])].map(
        (set) => `${ip} ${PEER[direction]} @${set} `,
      );
      if (peers) permitted.forEach(permit);
      if (!namedPorts) continue;
      sets[own.ports] = `type ${type} . inet_proto . inet_service;`;
      for (const who of peers ? permitted : [''])
        lines.push(`${who}${ip} daddr . meta l4proto . th dport @${own.ports} accept`);
    }
  }
  return { chains: { [name]: lines }, sets, elements };
}

/** What those whom a policy names add to its sets: each of them the same, whoever else there is. */
export function memberElements(policy: PolicyRules): Element[] {
  const name = policyChain(policy);
  return policy.rules.flatMap(({ peers, namedPorts = [] }, index) =>
    Object.values(FAMILIES).flatMap(({ suffix, isOf, address }) => {
      const { members, ports } = setsOf(name, index, suffix);
      const named = namedPorts
        .filter((each) => isOf(each.address))
        .map((each) => `${address(each.address)} . ${each.protocol} . ${port(each.port)}`);
      const all = (set: string, keys: readonly string[]): Element[] =>
        [...new Set(keys)].map((key) => ({ family: 'inet', set, key }));
      return [...all(members, (peers?.addresses ?? []).filter(isOf).map(address)), ...all(ports, named)];
    }),
  );
}

const addressIn = (cidr: string): string => cidr.split('/')[0] ?? '';

const portText = ({ protocol, port: first, endPort }: PolicyPort): string => {
  if (first === undefined) return `meta l4proto ${protocol}`;
  return `${protocol} dport ${endPort === undefined ? port(first) : `${port(first)}-${port(endPort)}`}`;
};

/** The part of a range that its exceptions leave, as nft writes intervals. */
export function blockRanges({ cidr, except = [] }: Block): string[] {
  const isOf = isIPv6(addressIn(cidr)) ? isIPv6 : isIPv4;
  const whole = bounds(cidr);
  const holes = except
    .filter((each) => isOf(addressIn(each)))
    .map(bounds)
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const left: string[] = [];
  const interval = (from: bigint, end: bigint): string => {
    const [first, last] = [from, end - 1n].map(isOf === isIPv6 ? toAddress6 : (value) => toAddress(Number(value)));
    return first === last ? `${first}` : `${first}-${last}`;
  };
  let { from } = whole;
  for (const hole of holes) {
    if (hole.from >= whole.end) break;
    if (hole.from > from) left.push(interval(from, hole.from));
    if (hole.end > from) from = hole.end;
  }
  if (from < whole.end) left.push(interval(from, whole.end));
  return left;
}

function bounds(cidr: string): { from: bigint; end: bigint } {
  const { first, size } = isIPv6(addressIn(cidr)) ? parseRange6(cidr) : parseRange(cidr);
  return { from: BigInt(first), end: BigInt(first) + BigInt(size) };
}

/** Which policies select a guest. A direction that is missing is not restricted. */
export interface Isolation {
  readonly address: string;
  readonly address6?: string;
  readonly ingress?: readonly string[];
  readonly egress?: readonly string[];
}

/** The chains of a guest that policies select: what none of them permits is dropped. Policies are by the names of their chains. */
export function isolationFragment(isolation: Isolation): Fragment {
  const address = ipv4(isolation.address);
  const { address6 } = isolation;
  const directions = (['ingress', 'egress'] as const).filter((each) => isolation[each] !== undefined);
  const nameOf = (direction: Direction): string => chain(`guest/${address}/${direction}`);
  return {
    chains: Object.fromEntries(
      directions.map((direction) => [
        nameOf(direction),
        [...(isolation[direction] ?? []).map((policy) => `jump ${chain(policy)}`), 'drop'],
      ]),
    ),
    elements: directions.flatMap((direction): Element[] => {
      const value = `jump ${nameOf(direction)}`;
      return [
        { family: 'inet', set: direction, key: address, value },
        ...(address6 === undefined
          ? []
          : [{ family: 'inet', set: `${direction}6`, key: ipv6(address6), value } as const]),
      ];
    }),
  };
}
