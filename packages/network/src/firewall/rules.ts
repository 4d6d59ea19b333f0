import { isIPv4, isIPv6 } from 'node:net';
import { contains } from '../ranges.ts';
import { contains6 } from '../ranges6.ts';

/** The first packet of a connection, as the rules of a firewall see it. */
export interface Packet {
  /** The devices that it comes from and goes to. */
  readonly in: string;
  /** Missing: it is for the host itself. */
  readonly out?: string;
  readonly source: string;
  readonly destination: string;
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  /** Whether its destination was another one, as with packets to a Service. */
  readonly isTranslated?: boolean;
}

/** Whether a packet is one of IPv6. */
export const isOfIpv6 = ({ source }: Pick<Packet, 'source'>): boolean => isIPv6(source);

/** Whether a condition of a rule holds for a packet; undefined where that cannot be told from outside the kernel. */
export type Match = (packet: Packet) => boolean | undefined;

export type Verdict =
  | { readonly kind: 'accept' | 'drop' | 'return' }
  | { readonly kind: 'jump' | 'goto'; readonly chain: string };

export interface Rule {
  readonly matches: readonly Match[];
  readonly verdict: Verdict;
}

export interface BaseChain {
  readonly name: string;
  readonly hook: 'forward' | 'input';
  readonly isDropping: boolean;
}

/** A program of iptables, by the family and the part of the kernel that its rules are for. */
export type IptablesTool = 'iptables' | 'iptables-legacy' | 'ip6tables' | 'ip6tables-legacy';

/** A table of somebody else, with what of it forwarded packets and packets to the host pass. */
export interface ForeignTable {
  /** The program that its rules are changed by. */
  readonly tool: IptablesTool | 'nft';
  /** `inet` has packets of both, `ip` and `ip6` of one. */
  readonly family: string;
  readonly name: string;
  readonly bases: readonly BaseChain[];
  readonly chains: ReadonlyMap<string, readonly Rule[]>;
}

/** More jumps than that the kernel does not take either. */
const MAX_DEPTH = 16;

/** What becomes of a packet in a chain of a table: `unknown` where a rule that cannot be judged might accept it. */
export function fateOf(table: ForeignTable, base: BaseChain, packet: Packet): 'accepted' | 'dropped' | 'unknown' {
  let isMaybeAccepted = false;

  /** `isCertain`: whether the packet comes here for sure. */
  function walk(name: string, isCertain: boolean, depth: number): 'accept' | 'drop' | undefined {
    if (depth > MAX_DEPTH) return undefined;
    let comesHere = isCertain;
    for (const { matches, verdict } of table.chains.get(name) ?? []) {
      const holds = all(matches, packet);
      if (holds === false) continue;
      const isSure = comesHere && holds === true;
      if (verdict.kind === 'jump' || verdict.kind === 'goto') {
        const found = walk(verdict.chain, isSure, depth + 1);
        if (found || (verdict.kind === 'goto' && isSure)) return found;
        if (verdict.kind === 'goto') comesHere = false;
      } else if (isSure) return verdict.kind === 'return' ? undefined : verdict.kind;
      else if (verdict.kind === 'accept') isMaybeAccepted = true;
      else comesHere = false;
    }
    return undefined;
  }

  const found = walk(base.name, true, 0) ?? (base.isDropping ? 'drop' : 'accept');
  if (found === 'accept') return 'accepted';
  return isMaybeAccepted ? 'unknown' : 'dropped';
}

const all = (matches: readonly Match[], packet: Packet): boolean | undefined => {
  const results = matches.map((match) => match(packet));
  return results.includes(false) ? false : results.includes(undefined) ? undefined : true;
};

/** Whether a device is meant by a name that may end in a wildcard: `+` in iptables, `*` in nftables. */
export const isDevice = (pattern: string, name: string | undefined): boolean =>
  name !== undefined && (/[+*]$/.test(pattern) ? name.startsWith(pattern.slice(0, -1)) : name === pattern);

/** Whether an address is in a range of a rule; undefined for a mask that is no prefix. */
export function isInRange(range: string, address: string): boolean | undefined {
  const [first = '', given] = range.split('/');
  if (isIPv6(first) || isIPv6(address)) {
    if (!isIPv6(first) || !isIPv6(address)) return isIPv4(first) || isIPv6(first) ? false : undefined;
    const length6 = given ?? '128';
    return /^\d{1,3}$/.test(length6) && Number(length6) <= 128 ? contains6(`${first}/${length6}`, address) : undefined;
  }
  const length = given ?? '32';
  return isIPv4(first) && /^\d{1,2}$/.test(length) ? contains(`${first}/${length}`, address) : undefined;
}
