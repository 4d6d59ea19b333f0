import { nthAddress } from '../ranges.ts';
import type { NetworkPlan } from '../skeleton.ts';
import { type ForeignTable, fateOf, type Packet } from './rules.ts';

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
  readonly plan: Pick<NetworkPlan, 'podRange' | 'clusterRange' | 'gateway' | 'overlay'>;
  /** The devices of the host's default routes. */
  readonly uplinks: readonly string[];
}

/** The names of all taps begin like this. */
const TAPS = 'vt';
const TAP = `${TAPS}0`;
/** Documentation's own: nobody has rules for it. */
const ELSEWHERE = '198.51.100.1';

type Trial = readonly [what: string, hook: 'forward' | 'input', packet: Packet];

function trials({ plan, uplinks }: Surroundings): Trial[] {
  const [guest, other] = [nthAddress(plan.podRange, 2), nthAddress(plan.podRange, 3)];
  const to = (destination: string, port = 443) => ({ source: guest, destination, protocol: 'tcp' as const, port });
  const request = { protocol: 'udp' as const, in: TAP };
  return [
    ...uplinks.flatMap((uplink): Trial[] => [
      ['what guests send to other hosts', 'forward', { ...to(ELSEWHERE), in: TAP, out: uplink }],
      [
        'what other hosts send to guests',
        'forward',
        { ...to(guest), source: ELSEWHERE, in: uplink, out: TAP, isTranslated: true },
      ],
    ]),
    ['what guests send to each other', 'forward', { ...to(other), in: TAP, out: `${TAPS}1` }],
    ['what guests of other nodes send to guests', 'forward', { ...to(guest), in: plan.overlay, out: TAP }],
    ['what guests send to other nodes', 'forward', { ...to(other), in: TAP, out: plan.overlay }],
    ['DHCP requests of guests', 'input', { ...request, source: '0.0.0.0', destination: '255.255.255.255', port: 67 }],
    ['DNS requests of guests', 'input', { ...request, source: guest, destination: plan.gateway, port: 53 }],
  ];
}

/** Which tables of others drop packets of guests for certain, and what to do about each. An accept of ours cannot help. */
export function firewallConflicts(tables: readonly ForeignTable[], surroundings: Surroundings): FirewallConflict[] {
  const all = trials(surroundings);
  return tables.flatMap((table) => {
    const dropped = all.filter(([, hook, packet]) =>
      table.bases.some((base) => base.hook === hook && fateOf(table, base, packet) === 'dropped'),
    );
    if (dropped.length === 0) return [];
    const hooks = new Set(dropped.map(([, hook]) => hook));
    const { name, ...mend } = mendingOf(table, hooks, surroundings);
    return [{ ...mend, problem: `${name} drops ${inWords(dropped, all)}` }];
  });
}

const listed = new Intl.ListFormat('en-GB');

function inWords(dropped: readonly Trial[], all: readonly Trial[]): string {
  const of = (trials: readonly Trial[], hook: 'forward' | 'input') => trials.filter((trial) => trial[1] === hook);
  const forwarded = of(dropped, 'forward');
  const isAll = forwarded.length === of(all, 'forward').length;
  const words = [...(isAll ? [] : forwarded), ...of(dropped, 'input')].map(([what]) => what);
  return listed.format(new Set([...(isAll ? ['all packets that this host forwards for guests'] : []), ...words]));
}

type Hooks = ReadonlySet<'forward' | 'input'>;

/** All that comes from taps passes our rules as well, which refuse what guests may not: so theirs may let all of it pass. */
function mendingOf(
  table: ForeignTable,
  hooks: Hooks,
  { uplinks }: Surroundings,
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
  if (chains.has('ufw-user-forward'))
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
    const ways = [...uplinks, 'vireo+'].map((to) => `${tool} -I DOCKER-USER -i ${TAPS}+ -o ${to} -j ACCEPT`);
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
