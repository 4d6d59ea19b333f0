import type { Fragment } from './nft/fragment.ts';
import { parseRange, toAddress } from './ranges.ts';
import { chain, ipv4, type Protocol, port } from './text.ts';

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
  /** Ports by name, for the guests that have one of that name. */
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

/** The chain of a policy. It ends without a verdict: the next policy may permit what this one does not. */
export function policyFragment(policy: PolicyRules): Fragment {
  const { direction, rules } = policy;
  const name = policyChain(policy);
  const sets: Record<string, string> = {};
  const elements: { family: 'inet'; set: string; key: string }[] = [];
  const lines: string[] = [];
  for (const [index, { peers, ports, namedPorts = [] }] of rules.entries()) {
    let who = '';
    if (peers) {
      const set = chain(`${name}/${index}`);
      sets[set] = 'type ipv4_addr; flags interval; auto-merge;';
      for (const key of [...new Set(peers.addresses.map(ipv4)), ...peers.blocks.flatMap(blockRanges)])
        elements.push({ family: 'inet', set, key });
      who = `ip ${PEER[direction]} @${set} `;
    }
    if (!ports) lines.push(`${who}accept`);
    for (const each of ports ?? []) lines.push(`${who}${portText(each)} accept`);
    if (namedPorts.length > 0) {
      const named = namedPorts.map((each) => `${ipv4(each.address)} . ${each.protocol} . ${port(each.port)}`);
      lines.push(`${who}ip daddr . meta l4proto . th dport { ${[...new Set(named)].join(', ')} } accept`);
    }
  }
  return { chains: { [name]: lines }, sets, elements };
}

const portText = ({ protocol, port: first, endPort }: PolicyPort): string => {
  if (first === undefined) return `meta l4proto ${protocol}`;
  return `${protocol} dport ${endPort === undefined ? port(first) : `${port(first)}-${port(endPort)}`}`;
};

/** The part of a range that its exceptions leave, as nft writes intervals. */
export function blockRanges({ cidr, except = [] }: Block): string[] {
  const whole = parseRange(cidr);
  const holes = except.map(parseRange).sort((a, b) => a.first - b.first);
  const left: string[] = [];
  const end = whole.first + whole.size;
  let from = whole.first;
  for (const hole of holes) {
    if (hole.first > from) left.push(interval(from, Math.min(hole.first, end)));
    from = Math.max(from, hole.first + hole.size);
  }
  if (from < end) left.push(interval(from, end));
  return left;
}

const interval = (from: number, end: number): string =>
  end - from === 1 ? toAddress(from) : `${toAddress(from)}-${toAddress(end - 1)}`;

/** Which policies select a guest. A direction that is missing is not restricted. */
export interface Isolation {
  readonly address: string;
  readonly ingress?: readonly string[];
  readonly egress?: readonly string[];
}

/** The chains of a guest that policies select: what none of them permits is dropped. Policies are by the names of their chains. */
export function isolationFragment(isolation: Isolation): Fragment {
  const address = ipv4(isolation.address);
  const directions = (['ingress', 'egress'] as const).filter((each) => isolation[each] !== undefined);
  const nameOf = (direction: Direction): string => chain(`guest/${address}/${direction}`);
  return {
    chains: Object.fromEntries(
      directions.map((direction) => [
        nameOf(direction),
        [...(isolation[direction] ?? []).map((policy) => `jump ${chain(policy)}`), 'drop'],
      ]),
    ),
    elements: directions.map((direction) => ({
      family: 'inet',
      set: direction,
      key: address,
      value: `jump ${nameOf(direction)}`,
    })),
  };
}
