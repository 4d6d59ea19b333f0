import type { NetworkPolicy, Pod } from '@vireo/api';
import { matchesLabelSelector } from '@vireo/api/labelSelector.ts';
import { parseRange, parseRange6, toAddress } from '@vireo/network';
import { toAddress6 } from '@vireo/network/ranges6.ts';
import type { Scene } from '../scene.ts';
import { guestsOf, waiting } from './cards.ts';
import { differences } from './differences.ts';
import type { KernelNetwork } from './kernel.ts';
import { type Table, targetsOf, valuesOf } from './table.ts';

/** Whom a rule permits that is of an empty set. */
const NOBODY = 'nobody';

const DIRECTIONS = ['ingress', 'egress'] as const;
type Direction = (typeof DIRECTIONS)[number];

/** Addresses from the first to the last. Those of IPv6 are far above those of IPv4. */
type Interval = readonly [first: bigint, last: bigint];
const IPV6 = 1n << 128n;

/** Where policies do not select the guests that they should, do not permit what they should, or belong to nothing. */
export function wrongPolicies(scene: Scene, { tables: { inet: table } }: KernelNetwork): string[] {
  if (!table) return [];
  const { policies, pods } = scene;
  const guests = guestsOf(scene);
  const others = waiting(scene);
  const known = new Set(policies.flatMap((policy) => directionsOf(policy).map((each) => chainOf(policy, each))));
  const addresses = new Set([...guests.map(({ address }) => address), ...others]);
  const left = [...table.chains.keys(), ...table.sets.keys()].filter((name) => {
    const [kind, first = ''] = name.split('/');
    if (kind === 'guest' || kind === 'card') return !addresses.has(first);
    return kind === 'policy' && ![...known].some((chain) => name === chain || name.startsWith(`${chain}/`));
  });
  return [
    ...DIRECTIONS.flatMap((direction) => {
      const found = [direction, `${direction}6`]
        .flatMap((map) => [...(table.sets.get(map) ?? [])])
        .filter(([address]) => !others.has(address));
      const wanted = guests.flatMap(({ uid, address, address6 = address }) => {
        const pod = pods.find(({ metadata }) => metadata.labels?.['kubevirt.io/created-by'] === uid);
        const chains = policies
          .filter((policy) => pod && selects(policy, pod) && directionsOf(policy).includes(direction))
          .map((policy) => chainOf(policy, direction));
        const text = `${chains.sort().join(', ')}, drop`;
        return chains.length > 0 ? [...new Set([address, address6])].map((each) => `${each} → ${text}`) : [];
      });
      return differences(
        `map ${direction}`,
        found.map(([address, chain]) => `${address} → ${isolation(table, chain)}`),
        wanted,
      );
    }),
    ...policies.flatMap((policy) => directionsOf(policy).flatMap((each) => wrongRules(policy, each, pods, table))),
    ...left.map((name) => `chain or set ${name}: belongs to nothing`),
  ];
}

const chainOf = ({ metadata }: NetworkPolicy, direction: Direction): string =>
  `policy/${metadata.namespace}/${metadata.name}/${direction}`;

const directionsOf = ({ spec }: NetworkPolicy): Direction[] =>
  DIRECTIONS.filter((direction) => spec?.policyTypes?.some((type) => type.toLowerCase() === direction));

const selects = ({ metadata, spec }: NetworkPolicy, pod: Pod): boolean =>
  pod.metadata.namespace === metadata.namespace && matchesLabelSelector(spec?.podSelector ?? {}, pod.metadata.labels);

/** The policies that the chain of a guest asks, and what it does with the rest. */
function isolation(table: Table, chain: string): string {
  const rules = table.chains.get(chain)?.rules ?? [];
  const ends = [...valuesOf('drop', rules)].length > 0 ? 'drop' : 'accept';
  return [...[...targetsOf(rules)].sort(), ends].join(', ');
}

function wrongRules(policy: NetworkPolicy, direction: Direction, pods: readonly Pod[], table: Table): string[] {
  const name = chainOf(policy, direction);
  const chain = table.chains.get(name);
  if (!chain) return [`chain ${name} is missing`];
  return differences(
    `chain ${name}`,
    // There are sets for both families, whether or not anybody is in them.
    chain.rules.map((rule) => ruleText(rule, table)).filter((text) => !text.startsWith(NOBODY)),
    wantedRules(policy, direction, pods),
  );
}

/** `10.244.0.7 tcp 80`: whom a rule permits, and at which port. */
function ruleText(rule: unknown, table: Table): string {
  const matches = [...valuesOf('match', rule)] as { left: { payload?: { field: string } }; right: unknown }[];
  const peers = matches.find(({ left }) => left.payload?.field !== 'dport')?.right;
  const port = matches.find(({ left }) => left.payload?.field === 'dport');
  const set = typeof peers === 'string' ? table.sets.get(peers.replace('@', '')) : undefined;
  const who = peers === undefined ? 'anybody' : intervalsText([...(set?.keys() ?? [])].map(parseInterval));
  const where = port ? ` ${(port.left.payload as unknown as { protocol: string }).protocol} ${port.right}` : '';
  return `${who}${where}${[...valuesOf('accept', rule)].length > 0 ? '' : ' without accept'}`;
}

function wantedRules(policy: NetworkPolicy, direction: Direction, pods: readonly Pod[]): string[] {
  const rules = (direction === 'ingress' ? policy.spec?.ingress : policy.spec?.egress) ?? [];
  return rules.flatMap((rule) => {
    const peers = 'from' in rule ? rule.from : 'to' in rule ? rule.to : undefined;
    const permitted = peers?.flatMap((peer) => intervalsOf(peer, policy, pods));
    // One rule for each family that somebody is of.
    const families = [permitted?.filter(([first]) => first < IPV6), permitted?.filter(([first]) => first >= IPV6)];
    const who = permitted ? families.flatMap((each) => (each?.length ? [intervalsText(each)] : [])) : ['anybody'];
    const ports = rule.ports ?? [];
    if (ports.length === 0) return who;
    return who.flatMap((each) =>
      ports.map(({ port, protocol = 'TCP' }) => `${each} ${protocol.toLowerCase()} ${port}`),
    );
  });
}

type Peer = NonNullable<NonNullable<NonNullable<NetworkPolicy['spec']>['ingress']>[number]['from']>[number];

function intervalsOf({ ipBlock, podSelector }: Peer, policy: NetworkPolicy, pods: readonly Pod[]): Interval[] {
  if (ipBlock) return without(parseInterval(ipBlock.cidr), (ipBlock.except ?? []).map(parseInterval));
  return pods
    .filter(
      ({ metadata, status }) =>
        metadata.namespace === policy.metadata.namespace &&
        matchesLabelSelector(podSelector ?? {}, metadata.labels) &&
        !['Succeeded', 'Failed'].includes(status?.phase ?? ''),
    )
    .flatMap(({ status }) => (status?.podIPs ?? []).map(({ ip = '' }) => parseInterval(ip)));
}

/** An element of a set of addresses: one, a range by its length, or from one to another. */
function parseInterval(text: string): Interval {
  const [from = '', to = from] = text.split('-');
  return [range(from)[0], range(to)[1]];
}

function range(text: string): Interval {
  const is6 = text.includes(':');
  const whole = text.includes('/') ? text : `${text}/${is6 ? 128 : 32}`;
  const { first, size } = is6 ? parseRange6(whole) : parseRange(whole);
  const from = BigInt(first) + (is6 ? IPV6 : 0n);
  return [from, from + BigInt(size) - 1n];
}

const addressText = (value: bigint): string => (value >= IPV6 ? toAddress6(value - IPV6) : toAddress(Number(value)));

const without = (whole: Interval, holes: readonly Interval[]): Interval[] =>
  holes.reduce<Interval[]>(
    (left, [from, to]) =>
      left.flatMap(([first, last]): Interval[] => {
        if (to < first || from > last) return [[first, last]];
        const parts: Interval[] = [
          [first, from - 1n],
          [to + 1n, last],
        ];
        return parts.filter(([a, b]) => a <= b);
      }),
    [whole],
  );

/** The same text for the same addresses, however they are divided. */
function intervalsText(intervals: readonly Interval[]): string {
  const merged: [bigint, bigint][] = [];
  for (const [first, last] of [...intervals].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = merged.at(-1);
    if (!before || first > before[1] + 1n) merged.push([first, last]);
    else if (last > before[1]) before[1] = last;
  }
  const text = merged.map(([first, last]) =>
    first === last ? addressText(first) : `${addressText(first)}-${addressText(last)}`,
  );
  return text.join(', ') || NOBODY;
}
