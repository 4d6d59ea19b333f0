import { isIPv6 } from 'node:net';
import { toNumber } from '../ranges.ts';
import { toBigInt } from '../ranges6.ts';
import {
  type BaseChain,
  type ForeignTable,
  isDevice,
  isInRange,
  isOfIpv6,
  type Match,
  type Packet,
  type Rule,
  type Verdict,
} from './rules.ts';

/** A chain as `nft -j` shows it. */
export interface ChainJson {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  readonly type?: string;
  readonly hook?: string;
  readonly policy?: string;
}

interface RuleJson {
  readonly chain: string;
  readonly expr: readonly Readonly<Record<string, unknown>>[];
}

interface Listing {
  readonly nftables?: readonly { readonly chain?: ChainJson; readonly rule?: RuleJson }[];
}

/** The chains in a listing of `nft -j`. */
export const parseChains = (json: string): ChainJson[] =>
  ((JSON.parse(json) as Listing).nftables ?? []).flatMap(({ chain }) => (chain ? [chain] : []));

/** The base chain that filters forwarded packets or those to the host; undefined for other chains. */
export function baseOf({ name, type, hook, policy }: ChainJson): BaseChain | undefined {
  const isOfInterest = type === 'filter' && (hook === 'forward' || hook === 'input');
  return isOfInterest ? { name, hook, isDropping: policy === 'drop' } : undefined;
}

/** Reads a table from what `nft -j list table` prints. */
export function parseTable(json: string, family: string, name: string): ForeignTable {
  const listed = (JSON.parse(json) as Listing).nftables ?? [];
  const chains = new Map<string, Rule[]>();
  const bases: BaseChain[] = [];
  for (const { chain, rule } of listed) {
    if (chain) {
      chains.set(chain.name, []);
      const base = baseOf(chain);
      if (base) bases.push(base);
    }
    const read = rule && ruleOf(rule);
    if (read) chains.get(rule.chain)?.push(read);
  }
  return { tool: 'nft', family, name, bases, chains };
}

/** Undefined for a rule that decides nothing. */
function ruleOf({ expr }: RuleJson): Rule | undefined {
  const matches: Match[] = [];
  for (const each of expr) {
    const [[kind, value] = ['', undefined]] = Object.entries(each);
    const verdict = verdictOf(kind, value);
    if (verdict) return { matches, verdict };
    if (kind === 'match') matches.push(matchOf(value as MatchJson));
    // A map of verdicts, a limit or a module of iptables may let anything pass.
    else if (kind === 'vmap') return { matches: [...matches, () => undefined], verdict: { kind: 'accept' } };
    else if (!NEUTRAL.has(kind)) matches.push(() => undefined);
  }
  return undefined;
}

const NEUTRAL = new Set(['counter', 'log', 'comment', 'mangle', 'meta']);

function verdictOf(kind: string, value: unknown): Verdict | undefined {
  switch (kind) {
    case 'accept':
    case 'return':
    case 'drop':
      return { kind };
    case 'reject':
      return { kind: 'drop' };
    case 'jump':
    case 'goto':
      return { kind, chain: (value as { target: string }).target };
    default:
      return undefined;
  }
}

interface MatchJson {
  readonly op: string;
  readonly left: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly right: unknown;
}

type Value = string | number | { prefix?: { addr: string; len: number }; range?: readonly [unknown, unknown] };

function matchOf({ op, left, right }: MatchJson): Match {
  const test = testOf(left);
  const set = (right as { set?: readonly Value[] } | null)?.set;
  const values = Array.isArray(right) ? (right as Value[]) : (set ?? [right as Value]);
  const isNamed = values.some((each) => typeof each === 'string' && each.startsWith('@'));
  if (!test || isNamed || !['==', '!=', 'in'].includes(op))
    return (packet) => (isOfOther(left.payload?.protocol, packet) ? false : undefined);
  return (packet) => {
    // A rule about the header of one family is none for packets of the other, whatever it compares.
    if (isOfOther(left.payload?.protocol, packet)) return false;
    const results = values.map((each) => test(each, packet));
    const holds = results.includes(true) || (results.includes(undefined) ? undefined : false);
    return holds === undefined ? undefined : holds !== (op === '!=');
  };
}

/** Whether a protocol is of the other family than a packet, or one that guests are not tried with. */
const isOfOther = (protocol: string | undefined, packet: Packet): boolean =>
  protocol?.startsWith('icmp') === true || protocol === (isOfIpv6(packet) ? 'ip' : 'ip6');

/** How the left side of a comparison is tested for one value; undefined for what is not known here. */
function testOf(left: MatchJson['left']): ((value: Value, packet: Packet) => boolean | undefined) | undefined {
  const { meta, payload, ct } = left;
  switch (meta?.key ?? (ct && `ct ${ct.key}`) ?? (payload && `${payload.protocol} ${payload.field}`)) {
    case 'iifname':
    case 'iif':
      return (value, packet) => isDevice(String(value), packet.in);
    case 'oifname':
    case 'oif':
      return (value, packet) => isDevice(String(value), packet.out);
    case 'nfproto':
      return (value, packet) => value === (isOfIpv6(packet) ? 'ipv6' : 'ipv4');
    case 'l4proto':
    case 'ip protocol':
    case 'ip6 nexthdr':
      return (value, { protocol }) => value === protocol;
    case 'ip saddr':
    case 'ip6 saddr':
      return (value, { source }) => hasAddress(value, source);
    case 'ip daddr':
    case 'ip6 daddr':
      return (value, { destination }) => hasAddress(value, destination);
    case 'tcp dport':
      return (value, { protocol, port }) => protocol === 'tcp' && hasPort(value, port);
    case 'udp dport':
      return (value, { protocol, port }) => protocol === 'udp' && hasPort(value, port);
    case 'th dport':
      return (value, { port }) => hasPort(value, port);
    case 'ct state':
      return (value) => value === 'new';
    case 'ct status':
      return (value, { isTranslated = false }) => value === 'dnat' && isTranslated;
    default:
      return undefined;
  }
}

function hasAddress(value: Value, address: string): boolean | undefined {
  if (typeof value === 'string') return isInRange(value, address);
  if (typeof value === 'number') return undefined;
  if (value.prefix) return isInRange(`${value.prefix.addr}/${value.prefix.len}`, address);
  const [first, last] = value.range ?? [];
  if (typeof first !== 'string' || typeof last !== 'string') return undefined;
  if (isIPv6(address)) return toBigInt(address) >= toBigInt(first) && toBigInt(address) <= toBigInt(last);
  return toNumber(address) >= toNumber(first) && toNumber(address) <= toNumber(last);
}

function hasPort(value: Value, port: number): boolean | undefined {
  if (typeof value === 'number') return value === port;
  const [first, last] = (typeof value === 'object' && value.range) || [];
  return typeof first === 'number' && typeof last === 'number' ? port >= first && port <= last : undefined;
}
