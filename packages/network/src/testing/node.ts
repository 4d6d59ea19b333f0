/**
 * A node with three guests and an outside, each in a namespace of its own. Run by `unshare --net`: this process is in the
 * node's. Prints what each tried as JSON, by the name of what it tried.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { cardFragment } from '../card.ts';
import { forgetFlows } from '../conntrack.ts';
import { DhcpServer } from '../dhcp/server.ts';
import { DnsServer } from '../dns/server.ts';
import type { Zone } from '../dns/zone.ts';
import { claimNetwork, connectLines, connectTap, ensureNetwork } from '../links.ts';
import { Ruleset } from '../nft/ruleset.ts';
import { isolationFragment, policyChain, policyFragment } from '../policy.ts';
import { run, transact, useRunner } from '../run.ts';
import { type ServicePort, serviceFragment } from '../service.ts';
import { type NetworkPlan, type Plan6, skeleton } from '../skeleton.ts';
import { tryIpv6 } from './ipv6.ts';
import { askAt, Machine } from './namespaces.ts';

const ipv6: Plan6 = {
  gateway: 'fd00:244::1',
  own: 'fd00:244::fe',
  podRange: 'fd00:244::/64',
  clusterRange: 'fd00:244::/56',
  serviceRange: 'fd00:96::/112',
};
const plan: NetworkPlan = {
  name: 'vireo0',
  gateway: '10.244.0.1',
  own: '10.244.0.254',
  podRange: '10.244.0.0/24',
  clusterRange: '10.244.0.0/16',
  serviceRange: '10.96.0.0/16',
  overlay: 'vireo0-vx',
  overlayPort: 4789,
  vni: 1,
  wireguard: 'vireo0-wg',
  apiServer: { address: '10.96.0.1', port: 443 },
  ipv6,
};
const macOf = (index: number): string => `02:00:00:00:00:0${index}`;
const addressOf = (index: number): string => `10.244.0.1${index}`;
const address6Of = (index: number): string => `fd00:244::1${index}`;
const linkLocalOf = (index: number): string => `fe80::ff:fe00:${index}`;
const cardOf = (index: number) => ({
  device: `vt${index}`,
  mac: macOf(index),
  address: addressOf(index),
  address6: address6Of(index),
  mtu: 1500,
});

await run('ip', ['link', 'set', 'lo', 'up']);
if ((await claimNetwork('test')) !== plan.name) throw new Error('this namespace has networks already');
await ensureNetwork(plan);
await using stack = new AsyncDisposableStack();
const outside = stack.use(await Machine.make('uplink'));
await run('ip', ['addr', 'add', '192.0.2.2/24', 'dev', 'uplink']);
await run('ip', ['link', 'set', 'uplink', 'up']);
await outside.ip('addr add 192.0.2.1/24 dev eth0');
await outside.serve('outside', 80);

useRunner();
/** What became of each change: a script for nft, or the number of messages of a transaction. */
const sent: (string | number)[] = [];
const nft = (script: string): Promise<string> => {
  sent.push(script);
  return run('nft', ['-f', '-'], script);
};
const reloads: string[] = [];
const ruleset = new Ruleset({
  table: 'vireo0',
  skeleton: skeleton(plan),
  nft,
  transact: (batch) => {
    sent.push(batch.replies);
    return transact(batch);
  },
  onReload: (error) => reloads.push(String(error)),
});
const guests: Machine[] = [];
for (const index of [0, 1, 2]) {
  const device = `vt${index}`;
  const guest = stack.use(await Machine.make(device, { mac: macOf(index) }));
  const card = cardOf(index);
  await run('ip', ['-batch', '-'], connectLines(plan, card).join('\n'));
  await connectTap(device);
  ruleset.put(`card/${device}`, cardFragment(card));
  await guest.ip(`addr add ${addressOf(index)}/16 dev eth0`);
  await guest.ip('route add default via 10.244.0.1');
  await guest.serve(`guest${index}`, 7, 80, 81);
  guests.push(guest);
}
const [a, , c] = guests as [Machine, Machine, Machine];

const endpoint = (index: number) => ({ address: addressOf(index), port: 80 });
const web: ServicePort = {
  id: 'default/web/http',
  family: 'IPv4',
  protocol: 'tcp',
  port: 8080,
  internal: ['10.96.0.10'],
  external: ['192.0.2.2'],
  nodePort: 30080,
  endpoints: [endpoint(0), endpoint(1)],
};
ruleset.put('service/web', serviceFragment(web));
ruleset.put(
  'service/empty',
  serviceFragment({
    ...web,
    id: 'default/empty/http',
    internal: ['10.96.0.11'],
    external: [],
    nodePort: 30081,
    endpoints: [],
  }),
);
ruleset.put(
  'service/sticky',
  serviceFragment({
    ...web,
    id: 'default/sticky/http',
    internal: ['10.96.0.12'],
    external: [],
    nodePort: undefined,
    affinitySeconds: 60,
  }),
);
await ruleset.apply();

const leaseOf = (mac: string) =>
  mac === macOf(0)
    ? { address: addressOf(0), netmask: '255.255.0.0', router: plan.gateway, dnsServers: [plan.gateway], search: [] }
    : undefined;
const onError = (error: unknown): void => console.error(error);
stack.use(await DhcpServer.listen({ address: plan.gateway, leaseOf, onError }));
const zone: Zone = {
  resolve: (name) => ({ exists: true, records: [{ name, type: 'A', ttl: 5, data: '10.96.0.10' }] }),
};
stack.use(await DnsServer.listen({ address: plan.gateway, zone, upstreams: async () => [], onError }));

const results: Record<string, unknown> = {};
const many = async (guest: Machine, host: string, port: number): Promise<string[]> => {
  const found = new Set<string>();
  for (let turn = 0; turn < 12; turn++) found.add(await guest.get(host, port));
  return [...found].sort();
};
results.offered = [await a.askForAddress(macOf(0)), await a.askForAddress(macOf(1))];
results.lookedUp = [
  await a.lookUp('web.default.svc.cluster.local', plan.gateway),
  await outside.lookUp('web', '192.0.2.2'),
];
results.guestToGuest = await a.get(addressOf(1), 80);
results.guestToOutside = await a.get('192.0.2.1', 80);
results.service = await many(c, '10.96.0.10', 8080);
results.serviceFromNode = await new Promise<string>((resolve) => {
  const socket = connect({ host: '10.96.0.10', port: 8080, timeout: 5_000 });
  socket.setEncoding('utf8').once('data', (text: string) => resolve(text.replace(/guest\d/, 'guest')));
  socket.once('error', ({ message }) => resolve(message));
  socket.once('timeout', () => resolve('timeout'));
});
results.hairpin = (await many(a, '10.96.0.10', 8080)).map((text) => text.split(' ')[0]);
results.sticky = (await many(c, '10.96.0.12', 8080)).length;
results.nodePort = await many(outside, '192.0.2.2', 30080);
results.loadBalancer = await many(outside, '192.0.2.2', 8080);
results.unserved = [await a.get('10.96.0.11', 8080), await outside.get('192.0.2.2', 30081)];
results.guestToNode = [await a.get('10.244.0.1', 22), await a.get('192.0.2.2', 22)];
results.absent = await tryAbsence();
for (const address of ['169.254.169.254', '100.100.100.200']) {
  await outside.ip(`addr add ${address}/32 dev eth0`);
  await run('ip', ['route', 'add', address, 'via', '192.0.2.1']);
}
results.credentials = [await a.get('169.254.169.254', 80), await a.get('100.100.100.200', 80)];
results.dhcpOfGuests = await askAt(a, c, addressOf(0), 67, 68);
await a.ip('addr add 10.244.0.99/16 dev eth0');
results.foreignAddress = await a.get(addressOf(1), 80, '10.244.0.99');

const deny = { id: 'default/deny', direction: 'ingress', rules: [] } as const;
const allow = {
  id: 'default/allow',
  direction: 'ingress',
  rules: [{ peers: { addresses: [addressOf(2)], blocks: [] }, ports: [{ protocol: 'tcp', port: 80 }] }],
} as const;
const noEgress = {
  id: 'default/closed',
  direction: 'egress',
  rules: [{ peers: { addresses: [], blocks: [{ cidr: '10.244.0.0/24', except: [`${addressOf(0)}/32`] }] } }],
} as const;
ruleset.put('policy/deny', policyFragment(deny));
ruleset.put('guest/1', isolationFragment({ address: addressOf(1), ingress: [policyChain(deny)] }));
await ruleset.apply();
results.denied = [await a.get(addressOf(1), 80), await c.get(addressOf(1), 80)];
ruleset.put('policy/allow', policyFragment(allow));
ruleset.put('guest/1', isolationFragment({ address: addressOf(1), ingress: [policyChain(deny), policyChain(allow)] }));
await ruleset.apply();
results.allowed = [await a.get(addressOf(1), 80), await c.get(addressOf(1), 80), await c.get(addressOf(1), 81)];
ruleset.put('policy/closed', policyFragment(noEgress));
ruleset.put('guest/2', isolationFragment({ address: addressOf(2), egress: [policyChain(noEgress)] }));
await ruleset.apply();
results.egress = [
  await c.get(addressOf(0), 80),
  await c.get(addressOf(1), 80),
  await c.get(addressOf(1), 81),
  await c.get('192.0.2.1', 80),
];
for (const owner of ['guest/1', 'guest/2', 'policy/deny', 'policy/allow', 'policy/closed']) ruleset.drop(owner);
await ruleset.apply();
results.open = [await a.get(addressOf(1), 80), await c.get('192.0.2.1', 80)];

results.ipv6 = await tryIpv6({
  plan: ipv6,
  ruleset,
  outside,
  guests: guests as [Machine, Machine, Machine],
  addressOf: address6Of,
  linkLocalOf,
  onError,
});

ruleset.put('service/web', serviceFragment({ ...web, endpoints: [endpoint(2)] }));
const before = sent.length;
await ruleset.apply();
results.changed = { answers: await many(a, '10.96.0.10', 8080), sent: sent.slice(before) };
results.rivals = await tryRivals();
const datagrams: ServicePort = {
  ...web,
  id: 'default/echo/udp',
  protocol: 'udp',
  port: 7,
  internal: ['10.96.0.13'],
  external: [],
  nodePort: undefined,
};
const answered: string[] = [];
for (const index of [0, 1]) {
  ruleset.put('service/echo', serviceFragment({ ...datagrams, endpoints: [{ address: addressOf(index), port: 7 }] }));
  await ruleset.apply();
  if (index === 1) {
    answered.push(await c.ask('10.96.0.13', 7, 5007));
    await forgetFlows({ endpoint: { address: addressOf(0), port: 7 }, protocol: 'udp' });
  }
  answered.push(await c.ask('10.96.0.13', 7, 5007));
}
results.datagrams = answered;
const fromAll = async (): Promise<string[]> => [
  await c.ask('10.96.0.13', 7, 5008),
  await outside.ask('192.0.2.2', 30007, 5008),
];
const outward = { ...datagrams, nodePort: 30007, endpoints: [{ address: addressOf(0), port: 7 }] };
ruleset.put('service/echo', serviceFragment(outward));
await ruleset.apply();
const beforeChange = await fromAll();
ruleset.put('service/echo', serviceFragment({ ...outward, externalEndpoints: [{ address: addressOf(1), port: 7 }] }));
await ruleset.apply();
await forgetFlows({ endpoint: { address: addressOf(0), port: 7 }, protocol: 'udp', at: { port: 30007 } });
results.datagramsFromOutside = [beforeChange, await fromAll()];
await run('nft', ['delete', 'table', 'inet', 'vireo0']);
ruleset.put('service/web', serviceFragment({ ...web, endpoints: [endpoint(1)] }));
await ruleset.apply();
results.reloaded = { answers: await many(a, '10.96.0.10', 8080), reloads: reloads.length };
ruleset.put(
  'card/vt1',
  cardFragment({ device: 'vt1', mac: macOf(1), address: addressOf(1), ports: [{ protocol: 'tcp', first: 81 }] }),
);
await ruleset.apply();
results.ports = [await a.get(addressOf(1), 80), await a.get(addressOf(1), 81)];
ruleset.put(
  'card/vt0',
  cardFragment({ device: 'vt0', mac: macOf(0), address: addressOf(0), ports: [{ protocol: 'tcp', first: 81 }] }),
);
await ruleset.apply();
results.offeredWithPorts = await a.askForAddress(macOf(0));
await breakDevices();
const broken = await a.get(addressOf(1), 81);
await ensureNetwork(plan);
await run('ip', ['-batch', '-'], connectLines(plan, cardOf(0)).join('\n'));
await connectTap('vt0');
// The guest notices within a second that its cable is back.
let mended = await a.get(addressOf(1), 81);
for (let turn = 0; turn < 10 && !mended.startsWith('guest1'); turn++) mended = await a.get(addressOf(1), 81);
results.mended = [broken, mended, await a.askForAddress(macOf(0))];
for (const owner of [...ruleset.owners()]) ruleset.drop(owner);
await ruleset.apply();
results.left = (await run('nft', ['list', 'table', 'inet', 'vireo0'])).match(/(service|policy|guest|card)\/\S+/g) ?? [];
console.log(JSON.stringify(results));

/** Services that say they have an address and a port of another, and have come first or have been there all the time. */
async function tryRivals(): Promise<Record<string, unknown>> {
  const rival = (own: Partial<ServicePort>): void => {
    const fragment = serviceFragment({ ...web, id: 'other/rival/http', internal: [], nodePort: undefined, ...own });
    ruleset.put('service/rival', fragment);
  };
  const lead = async (...indexes: number[]): Promise<void> => {
    ruleset.put('service/web', serviceFragment({ ...web, endpoints: indexes.map(endpoint) }));
    await ruleset.apply();
  };
  rival({ external: ['10.96.0.10'], endpoints: [endpoint(2)] });
  await lead();
  await lead(1);
  const internal = await many(c, '10.96.0.10', 8080);
  rival({ external: ['192.0.2.2'], endpoints: [endpoint(2), endpoint(2)] });
  await lead(0);
  await lead(0, 1);
  const external = await many(outside, '192.0.2.2', 8080);
  ruleset.drop('service/rival');
  await lead(2);
  return { internal, external };
}

/** What becomes of connections to a guest that has no route for a while, as when it moves to another node, and of new ones. */
async function tryAbsence(): Promise<readonly string[]> {
  const socket = connect({ host: addressOf(1), port: 7 });
  const ended = once(socket, 'close').then(
    () => 'closed',
    ({ code }: NodeJS.ErrnoException) => code ?? 'failed',
  );
  await once(socket, 'connect');
  await a.order({ hold: [addressOf(1), 7] });
  const route = [`${addressOf(1)}/32`, 'dev', 'vt1'];
  await run('ip', ['route', 'del', ...route]);
  socket.write('node');
  const said = a.order({ say: 'guest' });
  const meanwhile = await Promise.race([ended, pause(500, 'open')]);
  const refused = await c.get(addressOf(1), 7);
  await run('ip', ['route', 'add', ...route]);
  const answer = await Promise.race([ended, once(socket, 'data').then(String)]);
  socket.destroy();
  return [meanwhile, refused, answer, await said];
}

/** What somebody else may do to devices of ours. */
async function breakDevices(): Promise<void> {
  const commands = ['link set vt0 down', 'addr del 10.244.0.1/32 dev vireo0', 'route flush dev vireo0'];
  await run('ip', ['-batch', '-'], commands.join('\n'));
  for (const setting of ['proxy_arp', 'forwarding']) await writeFile(`/proc/sys/net/ipv4/conf/vt0/${setting}`, '0');
}
