import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { firewallConflicts, type Surroundings } from './conflicts.ts';
import { parseIptables } from './iptables.ts';
import { parseTable } from './nftables.ts';
import type { ForeignTable } from './rules.ts';

const surroundings: Surroundings = {
  plan: { podRange: '10.244.0.0/24', clusterRange: '10.244.0.0/16', gateway: '10.244.0.1', overlay: 'vireo0-vx' },
  uplinks: ['eth0'],
};
const reasons = (...tables: ForeignTable[]): string[] =>
  firewallConflicts(tables, surroundings).map(({ reason }) => reason);
const recorded = (name: string): string =>
  readFileSync(new URL(`../testing/recorded/${name}`, import.meta.url), 'utf8');

const iptables = (...rules: string[]): ForeignTable =>
  parseIptables(
    [':INPUT ACCEPT [0:0]', ':FORWARD DROP [0:0]', ':OUTPUT ACCEPT [0:0]', ':own - [0:0]', ...rules].join('\n'),
    'iptables',
  );

it.each<[string, string[], string[]]>([
  ['a policy alone', [], ['ForwardPolicyDrop']],
  [
    'established connections only',
    ['-A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT'],
    ['ForwardPolicyDrop'],
  ],
  ['an interface of others', ['-A FORWARD -i docker0 ! -o docker0 -j ACCEPT'], ['ForwardPolicyDrop']],
  ['one direction only', ['-A FORWARD -i vt+ -j ACCEPT'], ['ForwardPolicyDrop']],
  ['both directions', ['-A FORWARD -i vt+ -j ACCEPT', '-A FORWARD -o vt+ -j ACCEPT'], []],
  ['everything, in a chain', ['-A FORWARD -j own', '-A own -m comment --comment "let it" -j ACCEPT'], []],
  ['the range of guests', ['-A FORWARD -s 10.244.0.0/16 -j ACCEPT', '-A FORWARD -d 10.244.0.0/16 -j ACCEPT'], []],
  [
    'another range',
    ['-A FORWARD -s 10.0.0.0/16 -j ACCEPT', '-A FORWARD -d 10.0.0.0/16 -j ACCEPT'],
    ['ForwardPolicyDrop'],
  ],
  ['new connections', ['-A FORWARD -m conntrack --ctstate NEW,RELATED,ESTABLISHED -j ACCEPT'], []],
  ['what cannot be judged', ['-A FORWARD -m set --match-set guests src -j ACCEPT'], []],
  [
    'what a chain returns from',
    ['-A own -m addrtype --dst-type LOCAL -j RETURN', '-A own -j DROP', '-A FORWARD -j own', '-A FORWARD -j ACCEPT'],
    [],
  ],
  ['a rule that logs', ['-A FORWARD -j LOG --log-prefix "x "', '-A FORWARD -p tcp -j ACCEPT'], []],
  [
    'no DNS',
    ['-A FORWARD -j ACCEPT', '-A INPUT -p udp -m udp --dport 50:60 -j REJECT --reject-with icmp-port-unreachable'],
    ['InputPolicyDrop'],
  ],
])('a policy of drop that permits %s', (_, rules, expected) => {
  expect(reasons(iptables(...rules))).toEqual(expected);
});

it('ufw drops packets of guests until its own commands let them pass', () => {
  const ufw = recorded('ufw.txt');
  const [conflict] = firewallConflicts([parseIptables(ufw, 'iptables')], surroundings);
  expect(conflict).toEqual({
    reason: 'UfwDropsForwarded',
    problem:
      'ufw drops all packets that this host forwards for guests, DHCP requests of guests and DNS requests of guests',
    command: 'ufw route allow in on vt+ && ufw route allow out on vt+ && ufw allow in on vt+',
  });
  // What these commands add.
  const added = ['ufw-user-forward -i vt+', 'ufw-user-forward -o vt+', 'ufw-user-input -i vt+'];
  const mended = ufw + added.map((rule) => `-A ${rule} -j ACCEPT\n`).join('');
  expect(reasons(parseIptables(mended, 'iptables'))).toEqual([]);
});

it('firewalld drops packets of guests until their devices are in a trusted zone', () => {
  const firewalld = recorded('firewalld.txt');
  const parse = (text: string): ForeignTable => parseTable(text, 'inet', 'firewalld');
  expect(firewallConflicts([parse(firewalld)], surroundings)).toMatchObject([
    {
      reason: 'FirewalldDropsForwarded',
      command:
        'firewall-cmd --permanent --zone=trusted --add-interface=vt+ --add-interface=vireo+ && firewall-cmd --reload',
    },
  ]);
  // Where every packet goes that no zone has taken.
  const rest = /\{"rule": (?=\{"family": "inet", "table": "firewalld", "chain": "(filter_\w+_ZONES)")/g;
  const trusted = (device: string, chain: string) =>
    JSON.stringify({
      rule: {
        chain,
        expr: [{ match: { op: '==', left: { meta: { key: 'iifname' } }, right: device } }, { accept: null }],
      },
    });
  const mended = firewalld.replace(
    rest,
    (text, chain: string) => `${trusted('vt*', chain)},\n${trusted('vireo*', chain)},\n${text}`,
  );
  expect(reasons(parse(mended))).toEqual([]);
});

it('Docker is to open its way to the uplink only, so that containers stay closed', () => {
  const docker = iptables(':DOCKER-USER - [0:0]', '-A FORWARD -j DOCKER-USER', '-A DOCKER-USER -j RETURN');
  const [conflict] = firewallConflicts([docker], surroundings);
  expect(conflict?.reason).toBe('DockerDropsForwarded');
  expect(conflict?.command.split(' && ')).toEqual([
    'iptables -I DOCKER-USER -o vt+ -j ACCEPT',
    'iptables -I DOCKER-USER -i vt+ -o eth0 -j ACCEPT',
    'iptables -I DOCKER-USER -i vt+ -o vireo+ -j ACCEPT',
  ]);
});

const dual: Surroundings = {
  plan: {
    ...surroundings.plan,
    ipv6: { gateway: 'fd00:244::1', own: 'fd00:244::fe', podRange: 'fd00:244::/64', clusterRange: 'fd00:244::/56' },
  },
  uplinks: ['eth0'],
  uplinks6: ['eth1'],
};
const problems = (table: ForeignTable): string[] => firewallConflicts([table], dual).map(({ problem }) => problem);
const FORWARDED = 'all packets that this host forwards for guests';

it.each<[string, 'iptables' | 'ip6tables', string[], string[]]>([
  ['a policy alone', 'ip6tables', [], [`the table filter of ip6tables drops ${FORWARDED} by IPv6`]],
  [
    'ranges of guests',
    'ip6tables',
    ['-A FORWARD -s fd00:244::/56 -j ACCEPT', '-A FORWARD -d fd00:244::/56 -j ACCEPT'],
    [],
  ],
  [
    'another range',
    'ip6tables',
    ['-A FORWARD -s fd01::/56 -j ACCEPT', '-A FORWARD -d fd01::1/128 -j ACCEPT'],
    [`the table filter of ip6tables drops ${FORWARDED} by IPv6`],
  ],
  [
    'no DHCPv6',
    'ip6tables',
    ['-A FORWARD -j ACCEPT', '-A INPUT -s fe80::/10 -p udp --dport 547 -j DROP'],
    ['the table filter of ip6tables drops DHCP requests of guests by IPv6'],
  ],
  [
    'packets without a routing header',
    'ip6tables',
    ['-A FORWARD -m rt --rt-type 0 -j DROP', '-A FORWARD -j ACCEPT'],
    [],
  ],
  ['all of IPv4', 'iptables', ['-A FORWARD -j ACCEPT'], []],
])('a policy of drop for one family that permits %s', (_, tool, rules, expected) => {
  const text = [':INPUT ACCEPT [0:0]', ':FORWARD DROP [0:0]', ':OUTPUT ACCEPT [0:0]', ...rules].join('\n');
  expect(problems(parseIptables(text, tool))).toEqual(expected);
});

const match = (left: object, right: unknown, op = '==') => ({ match: { op, left, right } });
const payload = (protocol: string, field: string) => ({ payload: { protocol, field } });
const inet = (...rules: object[][]): ForeignTable =>
  parseTable(
    JSON.stringify({
      nftables: [
        { chain: { name: 'forward', type: 'filter', hook: 'forward', policy: 'drop' } },
        ...rules.map((expr) => ({ rule: { chain: 'forward', expr } })),
      ],
    }),
    'inet',
    'own',
  );
const accept = { accept: null };

it.each<[string, object[][], string | undefined]>([
  ['nothing', [], FORWARDED],
  ['one family', [[match({ meta: { key: 'nfproto' } }, 'ipv4'), accept]], `${FORWARDED} by IPv6`],
  ['the other', [[match({ meta: { key: 'nfproto' } }, 'ipv6'), accept]], FORWARDED],
  ['all but an address of IPv4', [[match(payload('ip', 'saddr'), '10.9.9.9', '!='), accept]], `${FORWARDED} by IPv6`],
  [
    'addresses from one to another',
    [
      [match(payload('ip6', 'saddr'), { range: ['fd00:244::', 'fd00:244::ff'] }), accept],
      [match(payload('ip6', 'daddr'), { prefix: { addr: 'fd00:244::', len: 56 } }), accept],
      [match(payload('ip', 'ttl'), 64, '!='), accept],
    ],
    undefined,
  ],
])('a table of both families that permits %s', (_, rules, dropped) => {
  expect(problems(inet(...rules))).toEqual(
    dropped === undefined ? [] : [`the table inet own of nftables drops ${dropped}`],
  );
});

it('ufw drops packets of both families, and one command lets them pass', () => {
  const tables = (more: readonly string[] = []): ForeignTable[] => {
    const rules = (prefix: string): string => more.map((rule) => `-A ${prefix}-${rule} -j ACCEPT\n`).join('');
    return [
      parseIptables(recorded('ufw.txt') + rules('ufw'), 'iptables'),
      parseIptables(recorded('ufw6.txt') + rules('ufw6'), 'ip6tables'),
    ];
  };
  const what = `${FORWARDED}, DHCP requests of guests and DNS requests of guests`;
  expect(firewallConflicts(tables(), dual)).toEqual([
    {
      reason: 'UfwDropsForwarded',
      problem: `ufw drops ${what}; ufw drops ${what} by IPv6`,
      command: 'ufw route allow in on vt+ && ufw route allow out on vt+ && ufw allow in on vt+',
    },
  ]);
  expect(firewallConflicts(tables(['user-forward -i vt+', 'user-forward -o vt+', 'user-input -i vt+']), dual)).toEqual(
    [],
  );
});

it('firewalld drops packets of both families alike', () => {
  const [conflict] = firewallConflicts([parseTable(recorded('firewalld.txt'), 'inet', 'firewalld')], dual);
  expect(conflict?.problem).toMatch(/^firewalld drops /);
  expect(conflict?.problem).not.toContain('IPv6');
});
