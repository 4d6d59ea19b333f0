/**
 * A node with two guests and an outside, and firewalls of others, one after the other. Run by `unshare --net`: this process is
 * in the node's namespace. The argument is a list of shell commands that each set up a firewall. Prints for each as JSON what
 * passes and what is found, before and after the command that is said to mend it.
 */
import { cardFragment } from '../card.ts';
import { DhcpServer } from '../dhcp/server.ts';
import { Dhcp6Server } from '../dhcp6/server.ts';
import { firewallConflicts } from '../firewall/conflicts.ts';
import { readForeignTables, readUplinks } from '../firewall/read.ts';
import { claimNetwork, connectLines, connectTap, ensureNetwork, GATEWAY_MAC } from '../links.ts';
import { Ruleset } from '../nft/ruleset.ts';
import { watchTables } from '../nft/watchTables.ts';
import { run } from '../run.ts';
import { serviceFragment } from '../service.ts';
import { type NetworkPlan, skeleton } from '../skeleton.ts';
import { Machine } from './namespaces.ts';

const plan: NetworkPlan = {
  name: 'vireo0',
  gateway: '10.244.0.1',
  own: '10.244.0.254',
  podRange: '10.244.0.0/24',
  clusterRange: '10.244.0.0/16',
  serviceRange: '10.96.0.0/16',
  overlay: 'vireo0-vx',
  vni: 1,
  overlayPort: 4789,
  wireguard: 'vireo0-wg',
  apiServer: { address: '10.96.0.1', port: 443 },
  ipv6: { gateway: 'fd00:244::1', own: 'fd00:244::fe', podRange: 'fd00:244::/64', clusterRange: 'fd00:244::/56' },
};
const address6Of = (index: number): string => `fd00:244::1${index}`;
const macOf = (index: number): string => `02:00:00:00:00:0${index}`;
const addressOf = (index: number): string => `10.244.0.1${index}`;

await run('ip', ['link', 'set', 'lo', 'up']);
await claimNetwork('test');
await ensureNetwork(plan);
await using stack = new AsyncDisposableStack();
const outside = stack.use(await Machine.make('uplink'));
await run('ip', ['addr', 'add', '192.0.2.2/24', 'dev', 'uplink']);
await run('ip', ['link', 'set', 'uplink', 'up']);
await run('ip', ['route', 'add', 'default', 'via', '192.0.2.1']);
await outside.ip('addr add 192.0.2.1/24 dev eth0');
await run('ip', ['addr', 'add', '2001:db8::2/64', 'dev', 'uplink', 'nodad']);
await run('ip', ['-6', 'route', 'add', 'default', 'via', '2001:db8::1']);
await outside.ip('addr add 2001:db8::1/64 dev eth0 nodad');
await outside.serve('outside', 80);
const ruleset = new Ruleset({
  table: plan.name,
  skeleton: skeleton(plan),
  nft: (script) => run('nft', ['-f', '-'], script),
});
const guests: Machine[] = [];
for (const index of [0, 1]) {
  const device = `vt${index}`;
  const guest = stack.use(await Machine.make(device, { mac: macOf(index) }));
  const card = { device, mac: macOf(index), address: addressOf(index), address6: address6Of(index), mtu: 1500 };
  await run('ip', ['-batch', '-'], connectLines(plan, card).join('\n'));
  await connectTap(device);
  ruleset.put(`card/${device}`, cardFragment(card));
  await guest.ip(`addr add ${addressOf(index)}/16 dev eth0`);
  await guest.ip('route add default via 10.244.0.1');
  await guest.ip(`addr add ${address6Of(index)}/128 dev eth0 nodad`);
  await guest.ip('-6 route add default via fe80::1 dev eth0');
  await guest.serve(`guest${index}`, 80);
  guests.push(guest);
}
const [a] = guests as [Machine, Machine];
const endpoints = [{ address: addressOf(0), port: 80 }];
const web = {
  id: 'default/web/http',
  family: 'IPv4',
  protocol: 'tcp',
  port: 80,
  internal: [],
  external: [],
  nodePort: 30080,
} as const;
ruleset.put('service/web', serviceFragment({ ...web, endpoints }));
await ruleset.apply();
const onError = (error: unknown): void => console.error(error);
const leaseOf = () => ({
  address: addressOf(0),
  netmask: '255.255.0.0',
  router: plan.gateway,
  dnsServers: [],
  search: [],
});
stack.use(await DhcpServer.listen({ address: plan.gateway, leaseOf, onError }));

const lease6 = { address: address6Of(0), dnsServers: [], search: [] };
const dhcp6 = { address: 'fd00:244::1', mac: GATEWAY_MAC, leaseOf: () => lease6, onError };
stack.use(await Dhcp6Server.listen(dhcp6));

const passing = async (): Promise<Record<string, string>> => ({
  toOutside: await a.get('192.0.2.1', 80),
  toGuest: await a.get(addressOf(1), 80),
  fromOutside: await outside.get('192.0.2.2', 30080),
  address: await a.askForAddress(macOf(0)),
  toOutside6: await a.get('2001:db8::1', 80),
  toGuest6: await a.get(address6Of(1), 80),
  address6: await a.askForAddress6('fe80::ff:fe00:0'),
});
const conflicts = async () =>
  firewallConflicts(await readForeignTables(true), {
    plan,
    uplinks: await readUplinks(),
    uplinks6: await readUplinks('-6'),
  });

const RESET_LEGACY = '[ ! -s /proc/net/ip_tables_names ] || { iptables-legacy -P FORWARD ACCEPT; iptables-legacy -F; }';
const stop = new AbortController();
let onLost = async (): Promise<void> => {};
const watched = watchTables(
  { tables: [`arp ${plan.name}`, `inet ${plan.name}`], onLost: () => onLost(), onError: () => {} },
  stop.signal,
);

const results: unknown[] = [];
for (const firewall of JSON.parse(process.argv[2] ?? '[]') as string[]) {
  await run('sh', ['-ec', firewall]);
  const before = await passing();
  const found = await conflicts();
  for (const { command } of found) await run('sh', ['-ec', command]);
  results.push({ before, found, after: await passing(), left: await conflicts() });
  // Everybody's rules go; ours are to come back.
  const back = Promise.withResolvers<void>();
  let isFirst = true;
  onLost = async () => {
    // What fails is tried again.
    if (isFirst) {
      isFirst = false;
      throw new Error('not now');
    }
    ruleset.invalidate();
    await ruleset.apply();
    back.resolve();
  };
  // Not by our own nft, which nobody is told of.
  await run('sh', ['-c', 'nft flush ruleset']);
  await run('sh', ['-c', RESET_LEGACY]).catch(() => {});
  await back.promise;
}
const restored = await passing();
stop.abort();
await watched;
console.log(JSON.stringify({ results, restored }));
