import { run } from '@vireo/network';
import { beforeAll, describe, expect, it } from 'vitest';

const why = await run('unshare', ['--net', 'nft', 'list', 'tables']).then(
  () => undefined,
  (error: Error) => error.message,
);
const SCENARIO = new URL('./testing/guarded.ts', import.meta.url).pathname;

const RULES = /^somebody has changed rules of the network; they are loaded anew: inet vireo0$/;
const LOST = /^somebody has deleted rules of the network; they are loaded anew: inet vireo0$/;
const devices = (what: string): RegExp =>
  new RegExp(`^somebody has changed devices of the network; they are put right: ${what}`);

/** What others do, and what is told of it. TAP: the device of a guest. Repairs of rules and of devices take turns. */
const BREAKS: Readonly<Record<string, readonly [command: string, told: RegExp]>> = {
  'a rule': [
    'nft delete rule inet vireo0 forward handle $(nft -a list chain inet vireo0 forward | sed -n "s/.*@hairpin.* handle //p")',
    RULES,
  ],
  'the route to a guest': ['ip route flush dev TAP', devices('TAP \\(route [\\d.]+\\)$')],
  'an element of a set': ['nft flush set inet vireo0 taps', RULES],
  'the neighbour entry of a guest': ['ip neigh del ADDRESS dev TAP', devices('TAP')],
  'the IPv6 address of a card': ['ip -6 addr flush dev TAP', devices('TAP')],
  'an element of a map': ['nft delete element inet vireo0 ports { ADDRESS }', RULES],
  'a card that is set down': ['ip link set TAP down', devices('TAP')],
  'the MTU of a card': ['ip link set TAP mtu 1280', devices('TAP')],
  'the rules of a chain': ['nft flush chain inet vireo0 card/ADDRESS', RULES],
  'proxy ARP': ['echo 0 >/proc/sys/net/ipv4/conf/TAP/proxy_arp', devices('TAP \\(inet proxy_neigh\\)')],
  'forwarding of a card': ['echo 0 >/proc/sys/net/ipv4/conf/TAP/forwarding', devices('TAP \\(inet forwarding\\)')],
  'a chain': ['nft flush chain inet vireo0 prerouting; nft delete chain inet vireo0 prerouting', RULES],
  'forwarding of the host': ['echo 0 >/proc/sys/net/ipv4/ip_forward', devices('.*all \\(inet forwarding\\)')],
  'IPv6 forwarding of the host': [
    'echo 0 >/proc/sys/net/ipv6/conf/all/forwarding',
    devices('all \\(inet6 forwarding\\)'),
  ],
  'itself without a rule of others': ['nft insert rule inet vireo0 sources accept', RULES],
  'the addresses of its device': ['ip addr flush dev vireo0', devices('vireo0 \\(address')],
  'the routes of its device': ['ip route flush dev vireo0', devices('vireo0 \\(route')],
  'itself without an element of others': ['nft add element inet vireo0 peers { 192.0.2.66 }', RULES],
  'its device': ['ip link del vireo0', devices('vireo0 \\(link')],
  'the way to another node': ['ip route del 10.244.1.0/24 dev vireo0-vx', devices('vireo0-vx \\(route')],
  'a table': ['nft delete table inet vireo0', LOST],
  'the address of another node': [
    'bridge fdb del $(bridge fdb show dev vireo0-vx | sed -n "s/ .*//p") dev vireo0-vx',
    devices('vireo0-vx \\(neighbour'),
  ],
  'the device to other nodes': ['ip link del vireo0-vx', devices('vireo0-vx \\(.*link')],
  'a card': ['ip link del TAP', devices('TAP \\(link')],
};

describe.skipIf(why)('a network that runs gets back', { meta: { whySkipped: why } }, () => {
  let results: Record<string, { repairs: string[]; left: string[] }>;
  let cuts: string[];
  beforeAll(async () => {
    const commands = Object.fromEntries(Object.entries(BREAKS).map(([name, [command]]) => [name, command]));
    const printed = await run('unshare', ['--net', process.execPath, SCENARIO, JSON.stringify(commands)]);
    ({ results, cuts } = JSON.parse(printed) as { results: typeof results; cuts: string[] });
  }, 120_000);

  it.each(Object.entries(BREAKS))('%s', (name, [, told]) => {
    expect(results[name]).toEqual({ repairs: expect.arrayContaining([expect.stringMatching(told)]), left: [] });
  });

  it('nothing that it has changed itself', () => {
    // Before, it has made and removed cards, a Service and a node. That would be told with what is broken first.
    expect(results['a rule']?.repairs).toHaveLength(1);
    expect(results['the route to a guest']?.repairs).toHaveLength(1);
  });

  it('a card of a guest, which is told that it needs a restart', () => {
    expect(cuts).toEqual([
      'somebody has deleted the device TAP of the interface default; restart the VM to connect it again',
    ]);
  });
});
