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
