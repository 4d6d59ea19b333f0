/**
 * A node with guests on bridges, each in a namespace of its own. Run by `unshare --net`: this process is in the node's.
 * Prints what each tried as JSON, by the name of what it tried.
 */
import { CardDhcpServer } from '../dhcp/cardServer.ts';
import { CardDhcp6Server } from '../dhcp6/cardServer.ts';
import { batch, claimNetwork, GATEWAY_MAC, readLinks, removeNetwork } from '../links.ts';
import { Ruleset } from '../nft/ruleset.ts';
import { RouterAdvertiser } from '../router/advertiser.ts';
import { run } from '../run.ts';
import type { SecondaryCard } from '../secondary/card.ts';
import { type BridgeNetwork, parseNetwork } from '../secondary/config.ts';
import { cardLease } from '../secondary/lease.ts';
import { cardLease6, cardRouter } from '../secondary/lease6.ts';
import { cardLines, ensureSecondaryCard, makeBridge, openBridge, readSecondaryLinks } from '../secondary/links.ts';
import { serverAddress6 } from '../secondary/links6.ts';
import { cardScript, replyAddress, secondaryFragment, secondarySkeleton } from '../secondary/rules.ts';
import { secondarySkeleton6 } from '../secondary/rules6.ts';
import { Machine } from './namespaces.ts';
import { trySecondary6 } from './secondary6.ts';

const parse = (config: object): BridgeNetwork => {
  const { network } = parseNetwork(JSON.stringify({ type: 'bridge', ...config }));
  if (network.type !== 'bridge') throw new Error('not a bridge');
  return network;
};
const routes = [{ dst: '192.168.0.0/16', gw: '10.77.0.9' }];
const routed = parse({
  bridge: 'br-routed',
  isDefaultGateway: true,
  ipMasq: true,
  macspoofchk: true,
  mtu: 1400,
  ipam: {
    type: 'host-local',
    ranges: [[{ subnet: '10.77.0.0/24' }], [{ subnet: 'fd77::/64' }]],
    routes: [...routes, { dst: 'fd99::/48' }],
    dns: { nameservers: ['fd77::53'] },
  },
});
// The same addresses in a network that the node has no part in.
const plain = parse({
  bridge: 'br-plain',
  macspoofchk: true,
  ipam: { type: 'host-local', ranges: [[{ subnet: '10.77.0.0/24' }], [{ subnet: 'fd77::/64' }]] },
});
const macOf = (index: number): string => `02:00:00:00:00:0${index}`;

await run('ip', ['link', 'set', 'lo', 'up']);
const network = await claimNetwork('test');
await using stack = new AsyncDisposableStack();
const outside = stack.use(await Machine.make('uplink'));
await run('ip', ['addr', 'add', '192.0.2.2/24', 'dev', 'uplink']);
await run('ip', ['link', 'set', 'uplink', 'up']);
await outside.ip('addr add 192.0.2.1/24 dev eth0');
await outside.serve('outside', 80);
await makeBridge(network, routed);
await openBridge(network, routed);
await batch(['link add br-plain type bridge', 'link set br-plain up']);

const nft = (script: string): Promise<string> => run('nft', ['-f', '-'], script);
const ruleset = new Ruleset({
  table: network,
  skeleton: secondarySkeleton(network) + secondarySkeleton6(network),
  nft,
});
const cards: SecondaryCard[] = [routed, routed, plain].map((of, index) => ({
  device: `vt${index}`,
  // Two networks may have cards with one hardware address.
  mac: macOf(index % 2),
  mtu: of.mtu ?? 1500,
  network: of,
  ...(of === routed && { isOnOwnBridge: true }),
  dhcp: { address: `10.77.0.1${index % 2}`, address6: `fd77::1${index % 2}`, number: 1024 + index },
}));
const server = stack.use(
  await CardDhcpServer.listen({
    clientOf: (number) => {
      const { mac, network: of, dhcp } = cards[number - 1024] ?? {};
      if (!mac || dhcp?.address === undefined || of?.type !== 'bridge' || !of.ipam) return undefined;
      return { mac, lease: cardLease({ ...of, ipam: of.ipam }, dhcp.address), replyTo: replyAddress(network, number) };
    },
    onError: (error) => console.error(error),
  }),
);
const server6 = stack.use(
  await CardDhcp6Server.listen({
    mac: GATEWAY_MAC,
    clientOf: (number) => {
      const { device, network: of, dhcp } = cards[number - 1024] ?? {};
      if (!device || dhcp?.address6 === undefined || of?.type !== 'bridge' || !of.ipam) return undefined;
      return { device, server: serverAddress6(network, of), lease: cardLease6(of.ipam, dhcp.address6) };
    },
    onError: (error) => console.error(error),
  }),
);
const advertiser = stack.use(new RouterAdvertiser({ onError: (error) => console.error(error) }));
const guests: Machine[] = [];
for (const [index, card] of cards.entries()) {
  const guest = stack.use(await Machine.make(card.device, { mac: card.mac }));
  await batch(cardLines(network, card).connect);
  ruleset.put(card.device, secondaryFragment(network, card));
  await guest.ip(`addr add ${card.dhcp?.address}/24 dev eth0`);
  await guest.ip(`route add default via 10.77.0.1`);
  await guest.serve(`guest${index}`, 80);
  guests.push(guest);
}
await ruleset.apply();
const ports = { ipv4: server.port, ipv6: server6.port };
await nft(cardScript(network, cards, ports));
// Twice is no error.
await nft(cardScript(network, cards, ports));
for (const { device, network: of, dhcp, mtu } of cards)
  if (of.type === 'bridge') advertiser.add(device, cardRouter(network, of, mtu), dhcp?.number);
const [a, b, c] = guests as [Machine, Machine, Machine];
const results: Record<string, unknown> = {};
results.leases = [
  await a.askForLease(macOf(0), true),
  await b.askForLease(macOf(1), false),
  await c.askForLease(macOf(0), false),
];
const hears =
  'add table ip t; add chain ip t c { type filter hook prerouting priority 0; }; add rule ip t c udp dport 67 counter';
await b.exec('nft', hears);
results.stranger = await a.askForLease(macOf(7), true);
results.heardByOthers = /packets (\d+)/.exec(await b.exec('nft', 'list', 'table', 'ip', 't'))?.[1];
results.guestToGuest = await a.get('10.77.0.11', 80);
results.guestToOutside = await a.get('192.0.2.1', 80);
results.guestToNode = [await a.get('10.77.0.1', 22), await a.get('192.0.2.2', 22), await c.get('192.0.2.2', 22)];
await a.ip('addr add 10.99.0.9/24 dev eth0');
results.foreignAddress = await a.get('192.0.2.1', 80, '10.99.0.9');
results.ipv6 = await trySecondary6({ outside, guests: [a, b, c] });
await a.ip('link set eth0 address 02:00:00:00:00:99');
await b.ip('neigh flush all');
results.foreignMac = await a.get('10.77.0.11', 80);
results.bridge = (await readLinks()).find(({ ifname }) => ifname === 'br-routed')?.mtu;
// Where the kernel has no VLANs, nothing is left of the bridge.
results.vlans = await makeBridge(network, parse({ bridge: 'br-vlans', vlan: 5 })).then(
  () => 'made',
  (error: Error) => error.message,
);
results.unfinished = (await readLinks()).some(({ ifname }) => ifname === `${network}-new`);
results.left = await (async () => {
  await ensureSecondaryCard(network, { ...(cards[0] as SecondaryCard), device: 'vtap' });
  await ensureSecondaryCard(network, { ...(cards[0] as SecondaryCard), device: 'vtap' });
  const { cards: before, bridges } = await readSecondaryLinks(network);
  await removeNetwork('test');
  const links = (await readLinks()).map(({ ifname }) => ifname).filter((name) => /^(vireo|vt|br-)/.test(name));
  return { before: before.sort(), bridges, links, tables: (await nft('list tables\n')).trim() };
})();
console.log(JSON.stringify(results));
