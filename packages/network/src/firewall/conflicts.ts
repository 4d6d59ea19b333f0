import { nthAddress } from '../ranges.ts';
import { nthAddress6 } from '../ranges6.ts';
import type { NetworkPlan } from '../skeleton.ts';
import { type ForeignTable, fateOf, isOfIpv6, type Packet } from './rules.ts';

/** A firewall of somebody else that drops packets of guests. */
export interface FirewallConflict {
  readonly reason:
    | 'DockerDropsForwarded'
    | 'FirewalldDropsForwarded'
    | 'UfwDropsForwarded'
    | 'ForwardPolicyDrop'
    | 'InputPolicyDrop';
  /** Whose rules they are, and what they drop. */
  readonly problem: string;
  /** What mends it, for a shell. */
  readonly command: string;
}

/** What firewalls are tried with. */
export interface Surroundings {
  readonly plan: Pick<NetworkPlan, 'podRange' | 'clusterRange' | 'gateway' | 'overlay' | 'ipv6'>;
  /** The devices of the host's default routes. */
  readonly uplinks: readonly string[];
  /** Of its default routes by IPv6. */
  readonly uplinks6?: readonly string[];
}

/** The names of all taps begin like this. */
const TAPS = 'vt';
const TAP = `${TAPS}0`;
/** Documentation's own: nobody has rules for it. */
const ELSEWHERE = '198.51.100.1';
const ELSEWHERE6 = '2001:db8::1';
/** As a guest asks for its IPv6 address: by an address of its link. */
const LINK_LOCAL = 'fe80::ff:fe00:1';

type Trial = readonly [what: string, hook: 'forward' | 'input', packet: Packet];

/** What is tried of a family. */
interface FamilyFacts {
  readonly guest: string;
  readonly other: string;
  readonly elsewhere: string;
  readonly gateway: string;
  readonly uplinks: readonly string[];
  /** How a guest asks for its address. */
  readonly request: Pick<Packet, 'source' | 'destination' | 'port'>;
}

function trials({ plan, uplinks, uplinks6 = [] }: Surroundings): Trial[] {
  const { ipv6 } = plan;
  const ipv4Facts: FamilyFacts = {
    guest: nthAddress(plan.podRange, 2),
    other: nthAddress(plan.podRange, 3),
    elsewhere: ELSEWHERE,
    gateway: plan.gateway,
    uplinks,
    request: { source: '0.0.0.0', destination: '255.255.255.255', port: 67 },
  };
  if (!ipv6) return familyTrials(plan.overlay, ipv4Facts);
  const ipv6Facts: FamilyFacts = {
    guest: nthAddress6(ipv6.podRange, 2),
    other: nthAddress6(ipv6.podRange, 3),
    elsewhere: ELSEWHERE6,
    gateway: ipv6.gateway,
    uplinks: uplinks6,
    // Our rules have set the destination before any filter sees it.
    request: { source: LINK_LOCAL, destination: ipv6.gateway, port: 547 },
  };
  return [...familyTrials(plan.overlay, ipv4Facts), ...familyTrials(plan.overlay, ipv6Facts)];
}

function familyTrials(overlay: string, { guest, other, elsewhere, gateway, uplinks, request }: FamilyFacts): Trial[] {
  const to = (destination: string, port = 443) => ({ source: guest, destination, protocol: 'tcp' as const, port });
  const toNode = { protocol: 'udp' as const, in: TAP };
  return [
    ...uplinks.flatMap((uplink): Trial[] => [
      ['what guests send to other hosts', 'forward', { ...to(elsewhere), in: TAP, out: uplink }],
      [
        'what other hosts send to guests',
        'forward',
        { ...to(guest), source: elsewhere, in: uplink, out: TAP, isTranslated: true },
      ],
    ]),
    ['what guests send to each other', 'forward', { ...to(other), in: TAP, out: `${TAPS}1` }],
    ['what guests of other nodes send to guests', 'forward', { ...to(guest), source: other, in: overlay, out: TAP }],
    ['what guests send to other nodes', 'forward', { ...to(other), in: TAP, out: overlay }],
    ['DHCP requests of guests', 'input', { ...toNode, ...request }],
    ['DNS requests of guests', 'input', { ...toNode, source: guest, destination: gateway, port: 53 }],
  ];
}

/** Which tables of others drop packets of guests for certain, and what to do about each. An accept of ours cannot help. */
export function firewallConflicts(tables: readonly ForeignTable[], surroundings: Surroundings): FirewallConflict[] {
  const tried = trials(surroundings);
  const found = tables.flatMap((table) => {
    const all = tried.filter(
      ([, , packet]) => table.family === 'inet' || (table.family === 'ip6') === isOfIpv6(packet),
    );
    const dropped = all.filter(([, hook, packet]) =>
      table.bases.some((base) => base.hook === hook && fateOf(table, base, packet) === 'dropped'),
    );
    if (dropped.length === 0) return [];
    const hooks = new Set(dropped.map(([, hook]) => hook));
    const { name, ...mend } = mendingOf(table, hooks, surroundings);
    return [{ ...mend, problem: `${name} drops ${byFamily(dropped, all)}` }];
  });
  // What one command mends is one conflict, such as ufw's tables of both families.
  return [...Map.groupBy(found, ({ command }) => command).values()].flatMap((same) => {
    const [first] = same;
    return first ? [{ ...first, problem: [...new Set(same.map(({ problem }) => problem))].join('; ') }] : [];
  });
}

/** What is dropped, once if it is the same by both families. */
function byFamily(dropped: readonly Trial[], all: readonly Trial[]): string {
  const of = (trials: readonly Trial[], isSix: boolean) => trials.filter(([, , packet]) => isOfIpv6(packet) === isSix);
  const words = (isSix: boolean): string => inWords(of(dropped, isSix), of(all, isSix));
  const [four, six] = [words(false), words(true)];
  if (six === '' || six === four) return four;
  return four === '' ? `${six} by IPv6` : `${four}, and ${six} by IPv6`;
}

const listed = new Intl.ListFormat('en-GB');

function inWords(dropped: readonly Trial[], all: readonly Trial[]): string {
  const of = (trials: readonly Trial[], hook: 'forward' | 'input') => trials.filter((trial) => trial[1] === hook);
  const forwarded = of(dropped, 'forward');
  const isAll = forwarded.length > 0 && forwarded.length === of(all, 'forward').length;
  const words = [...(isAll ? [] : forwarded), ...of(dropped, 'input')].map(([what]) => what);
  return listed.format(new Set([...(isAll ? ['all packets that this host forwards for guests'] : []), ...words]));
}

type Hooks = ReadonlySet<'forward' | 'input'>;

/** All that comes from taps passes our rules as well, which refuse what guests may not: so theirs may let all of it pass. */
function mendingOf(
  table: ForeignTable,
  hooks: Hooks,
  { uplinks, uplinks6 = [] }: Surroundings,
): Omit<FirewallConflict, 'problem'> & { readonly name: string } {
  const { tool, family, name, chains } = table;
  const commands = (...all: (string | false)[]): string => all.filter(Boolean).join(' && ');
  if (tool === 'nft' && name === 'firewalld') {
    const zone = `firewall-cmd --permanent --zone=trusted --add-interface=${TAPS}+ --add-interface=vireo+`;
    return { name: 'firewalld', reason: 'FirewalldDropsForwarded', command: commands(zone, 'firewall-cmd --reload') };
  }
  if (tool === 'nft') {
    const insert = (hook: 'forward' | 'input', match: string): string[] =>
      table.bases
        .filter((base) => base.hook === hook && hooks.has(hook))
        .map((base) => `nft insert rule ${family} ${name} ${base.name} '${match} "${TAPS}*" accept'`);
    return {
      name: `the table ${family} ${name} of nftables`,
      reason: hooks.has('forward') ? 'ForwardPolicyDrop' : 'InputPolicyDrop',
      command: commands(
        ...insert('forward', 'oifname'),
        ...insert('forward', 'iifname'),
        ...insert('input', 'iifname'),
      ),
    };
  }
  if (chains.has('ufw-user-forward') || chains.has('ufw6-user-forward'))
    return {
      name: 'ufw',
      reason: 'UfwDropsForwarded',
      command: commands(
        hooks.has('forward') && `ufw route allow in on ${TAPS}+`,
        hooks.has('forward') && `ufw route allow out on ${TAPS}+`,
        hooks.has('input') && `ufw allow in on ${TAPS}+`,
      ),
    };
  const input = hooks.has('input') && `${tool} -I INPUT -i ${TAPS}+ -j ACCEPT`;
  if (chains.has('DOCKER-USER') && hooks.has('forward')) {
    // Not everywhere: containers would be open to guests at ports that they do not publish.
    const ways = [...(family === 'ip6' ? uplinks6 : uplinks), 'vireo+'].map(
      (to) => `${tool} -I DOCKER-USER -i ${TAPS}+ -o ${to} -j ACCEPT`,
    );
    const command = commands(`${tool} -I DOCKER-USER -o ${TAPS}+ -j ACCEPT`, ...ways, input);
    return { name: 'Docker', reason: 'DockerDropsForwarded', command };
  }
  const forward = ['-o', '-i'].map((side) => hooks.has('forward') && `${tool} -I FORWARD ${side} ${TAPS}+ -j ACCEPT`);
  return {
    name: `the table ${name} of ${tool}`,
    reason: hooks.has('forward') ? 'ForwardPolicyDrop' : 'InputPolicyDrop',
    command: commands(...forward, input),
  };
}
