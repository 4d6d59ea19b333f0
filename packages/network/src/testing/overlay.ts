/**
 * Two nodes with guests, and an outside, each in a namespace of its own. Run by `unshare --net`: this process is the switch
 * between the nodes. Prints what each tried as JSON, by the name of what it tried. With the argument `wireguard`, the nodes
 * use that.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tap } from '../links.ts';
import { overlayMac, type Peer, VXLAN_PORT } from '../overlay.ts';
import { isolationFragment, policyChain, policyFragment } from '../policy.ts';
import { nodeAddress } from '../ranges.ts';
import { run } from '../run.ts';
import { type ServicePort, serviceFragment } from '../service.ts';
import type { NetworkPlan } from '../skeleton.ts';
import { newWireguardKey, wireguardPublicKey } from '../wireguard.ts';
import { Machine } from './namespaces.ts';
import { HIGH_PROGRAM_PORT, NODE_PROGRAM_PORT, type NodeOrder } from './overlayNode.ts';
import { vxlanPacket } from './vxlanPacket.ts';

const NODE = new URL('./overlayNode.ts', import.meta.url).pathname;
const hasWireguard = process.argv[2] === 'wireguard';
const VNI = 0xabcdef;

await using stack = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), 'vireo-overlay-'));
stack.defer(() => rm(directory, { recursive: true }));
await run('ip', ['link', 'add', 'switch', 'type', 'bridge']);
await run('ip', ['link', 'set', 'switch', 'up']);

const onSwitch = async (port: string, address: string, address6: string, deprecated?: string): Promise<Machine> => {
  const machine = stack.use(await Machine.make(port));
  await run('ip', ['link', 'set', port, 'master', 'switch', 'up']);
  await machine.ip(`addr add ${address}/24 dev eth0`);
  await machine.ip(`addr add ${address6}/64 dev eth0 nodad`);
  if (deprecated) await machine.ip(`addr add ${deprecated}/64 dev eth0 nodad preferred_lft 0`);
  return machine;
};

interface TestNode {
  readonly machine: Machine;
  readonly plan: NetworkPlan;
  readonly underlay: string;
  /** One more address that the host has. */
  readonly second: string;
  /** Its address by IPv6, and one more that the host has. */
  readonly addresses6: readonly [string, string];
  readonly peer: Peer;
  order(order: NodeOrder): Promise<string>;
}

async function makeNode(number: number): Promise<TestNode> {
  const underlay = `192.0.2.1${number}`;
  const second = `192.0.2.2${number}`;
  const podRange = `10.244.${number}.0/24`;
  const addresses6 = [`2001:db8::1${number}`, `2001:db8::abcd:${number}`] as const;
  const prefix6 = `fd00:244:0:${number}`;
  const plan: NetworkPlan = {
    name: 'vireo0',
    gateway: '10.244.0.1',
    own: nodeAddress(podRange),
    podRange,
    clusterRange: '10.244.0.0/16',
    serviceRange: '10.96.0.0/16',
    overlay: 'vireo0-vx',
    overlayPort: VXLAN_PORT,
    vni: VNI,
    wireguard: 'vireo0-wg',
    apiServer: { address: '10.96.0.1', port: 443 },
    ipv6: { gateway: 'fd00:244::1', own: `${prefix6}::fe`, podRange: `${prefix6}::/64`, clusterRange: 'fd00:244::/56' },
  };
  const machine = await onSwitch(`node${number}`, underlay, ...addresses6);
  await machine.ip(`addr add ${second}/24 dev eth0`);
  await machine.start(NODE);
  const key = newWireguardKey();
  const keyFile = join(directory, `key${number}`);
  await writeFile(keyFile, `${key}\n`, { mode: 0o600 });
  const order = (what: NodeOrder): Promise<string> => machine.order(what);
  const port = await order({ open: { plan, underlay, ...(hasWireguard && { keyFile }) } });
  const wireguard = hasWireguard ? { publicKey: wireguardPublicKey(key), port: Number(port) } : undefined;
  if (wireguard && !wireguard.port) throw new Error(`this host has no WireGuard: ${port}`);
  return {
    machine,
    plan,
    underlay,
    second,
    addresses6,
    peer: {
      ...{ underlay, own: plan.own, own6: `${prefix6}::fe`, ranges: [podRange, `${prefix6}::/64`] },
      addresses: [second, ...addresses6],
      ...(wireguard && { wireguard }),
    },
    order,
  };
}

const [one, two] = await Promise.all([makeNode(0), makeNode(1)]);
const outside = await onSwitch('outside', '192.0.2.1', '2001:db8::1');
await one.order({ peer: ['two', two.peer] });
await two.order({ peer: ['one', one.peer] });

type DualTap = Tap & { readonly address6: string };

interface Guest {
  readonly machine: Machine;
  readonly tap: DualTap;
}

async function makeGuest(name: string, node: TestNode, tap: DualTap): Promise<Guest> {
  const machine = stack.use(await Machine.make(tap.device, { mac: tap.mac, at: node.machine }));
  await machine.ip(`addr add ${tap.address}/16 dev eth0`);
  await machine.ip(`link set eth0 mtu ${tap.mtu}`);
  await machine.ip('route add default via 10.244.0.1');
  await machine.ip(`addr add ${tap.address6}/128 dev eth0 nodad`);
  await machine.ip('-6 route add default via fe80::1 dev eth0');
  await node.order({ card: tap });
  await machine.serve(name, 80, 7);
  return { machine, tap };
}
const mtu = hasWireguard ? 1420 : 1450;
const tapOf = (letter: string, address: string, address6: string): DualTap => ({
  ...{ device: `vt${letter}`, mac: `02:00:00:00:00:0${letter}`, address, address6, mtu },
});
const [a, b, moving] = await Promise.all([
  makeGuest('a', one, tapOf('a', '10.244.0.10', 'fd00:244::10')),
  makeGuest('b', two, tapOf('b', '10.244.1.10', 'fd00:244:0:1::10')),
  makeGuest('moving', one, tapOf('c', '10.244.0.20', 'fd00:244::20')),
  outside.serve('outside', 80),
]);

const web: ServicePort = {
  id: 'default/web/http',
  family: 'IPv4',
  protocol: 'tcp',
  port: 8080,
  internal: ['10.96.0.10'],
  external: [two.underlay, two.second],
  nodePort: 30080,
  endpoints: [{ address: b.tap.address, port: 80 }],
};
// Of b, for connections from outside to its own node only; and one that leads to the other node's VXLAN.
const local: ServicePort = {
  ...web,
  id: 'default/local/http',
  internal: ['10.96.0.11'],
  external: [],
  nodePort: 30081,
};
const tunnel: ServicePort = {
  ...web,
  id: 'default/tunnel/vxlan',
  protocol: 'udp',
  internal: ['10.96.0.12'],
  external: [],
  nodePort: undefined,
  endpoints: [{ address: two.underlay, port: VXLAN_PORT }],
};
const web6: ServicePort = {
  ...web,
  id: 'default/web/http/6',
  family: 'IPv6',
  internal: [],
  external: [two.addresses6[0]],
  endpoints: [{ address: b.tap.address6, port: 80 }],
};
for (const node of [one, two]) {
  await node.order({ put: ['service/web6', serviceFragment(web6)] });
  await node.order({ put: ['service/web', serviceFragment(web)] });
  const externalEndpoints = node === two ? local.endpoints : [];
  await node.order({ put: ['service/local', serviceFragment({ ...local, externalEndpoints })] });
  await node.order({ put: ['service/tunnel', serviceFragment(tunnel)] });
}

const results: Record<string, unknown> = {};
results.across = [await a.machine.get(b.tap.address, 80), await b.machine.get(a.tap.address, 80)];
results.across6 = [await a.machine.get(b.tap.address6, 80), await b.machine.get(a.tap.address6, 80)];
results.service6 = [
  await a.machine.get(two.addresses6[0], 30080),
  await a.machine.get(two.addresses6[0], 8080),
  await outside.get(one.addresses6[0], 30080),
  await outside.get(two.addresses6[0], 8080),
];
results.nodeProgram6 = [
  await outside.get(two.addresses6[0], NODE_PROGRAM_PORT),
  await a.machine.get('2001:db8::1', 80),
  ...(await Promise.all(
    [...two.addresses6, two.plan.ipv6?.own ?? ''].map((address) => a.machine.get(address, NODE_PROGRAM_PORT)),
  )),
];
results.service = [await a.machine.get('10.96.0.10', 8080), await outside.get(one.underlay, 30080)];
results.loadBalancer = [
  await a.machine.get(two.underlay, 8080),
  await a.machine.get(two.second, 8080),
  await outside.get(two.underlay, 8080),
];
results.nodePort = [await a.machine.get(two.underlay, 30080), await a.machine.get(two.second, 30080)];
results.hairpin = (await b.machine.get('10.96.0.10', 8080)).split(' ')[0];
results.external = [await outside.get(one.underlay, 30081), await outside.get(two.underlay, 30081)];
results.nodeProgram = [
  await outside.get(two.underlay, NODE_PROGRAM_PORT),
  await a.machine.get(two.underlay, NODE_PROGRAM_PORT),
  await a.machine.get(two.plan.own, NODE_PROGRAM_PORT),
  await outside.get(two.second, NODE_PROGRAM_PORT),
  await a.machine.get(two.second, NODE_PROGRAM_PORT),
];
// What listens at a port of that range is a program as any other, unless a Service has the port.
results.highProgram = [
  await outside.get(two.underlay, HIGH_PROGRAM_PORT),
  ...(await Promise.all(
    [two.underlay, two.second, two.addresses6[0]].map((each) => a.machine.get(each, HIGH_PROGRAM_PORT)),
  )),
];

// Beside them a node of Kubernetes with a pod; its CNI plug-in and the administrator of the first node add the routes.
const pod = '10.244.9.9';
await outside.ip(`addr add ${pod}/32 dev lo`);
const withoutRoute = await a.machine.get(pod, 80);
await outside.ip(`route add ${one.plan.podRange} via ${one.underlay}`);
await one.machine.ip('route add 10.244.9.0/24 via 192.0.2.1');
results.pods = [withoutRoute, await a.machine.get(pod, 80), await outside.get(a.tap.address, 80, pod)];

const forge = (text: string): string =>
  vxlanPacket({
    vni: VNI,
    mac: overlayMac(two.underlay),
    from: a.tap.address,
    to: b.tap.address,
    port: 7,
    text,
  }).toString('base64');
await outside.order({ send: [two.underlay, VXLAN_PORT, forge('by-outside')] });
await a.machine.order({ send: [two.underlay, VXLAN_PORT, forge('by-guest')] });
await a.machine.order({ send: ['10.96.0.12', 8080, forge('by-service')] });
// The same packet is heard where the node itself sends it, unless nodes encrypt what they send: so it is a good one.
await one.machine.exec(process.execPath, '-e', senderScript(two.underlay, forge('by-node')));
await a.machine.order({ send: [b.tap.address, 7, Buffer.from('by-guest-itself').toString('base64')] });
await b.machine.get(a.tap.address, 80);
results.heard = await b.machine.order({ heard: true });

function senderScript(host: string, content: string): string {
  return `const s = require('node:dgram').createSocket('udp4');
    s.send(Buffer.from('${content}', 'base64'), ${VXLAN_PORT}, '${host}', () => s.close());`;
}

const reach6 = async (): Promise<string[]> => [
  await a.machine.get(moving.tap.address6, 80),
  await b.machine.get(moving.tap.address6, 80),
];
const reach = async (): Promise<string[]> => [
  await a.machine.get(moving.tap.address, 80),
  await b.machine.get(moving.tap.address, 80),
];
/** A packet may be lost while a cable is plugged in elsewhere; then it is sent again. */
const again = async (attempt: () => Promise<string[]>): Promise<string[]> => {
  for (let tries = 1; ; tries += 1) {
    const seen = await attempt();
    if (tries === 5 || !seen.includes('timeout')) return seen;
  }
};
await a.machine.order({ hold: [moving.tap.address, 7] });
results.beforeMove = [...(await reach()), await a.machine.order({ say: 'before' })];
const moved = [`${moving.tap.address}/32`, `${moving.tap.address6}/128`];
// The way to the new node is known while the guest still is here: its own tap comes first.
await one.order({ peer: ['two', { ...two.peer, ranges: [...two.peer.ranges, ...moved] }] });
results.announced = await a.machine.get(moving.tap.address, 80);
results.announced6 = await a.machine.get(moving.tap.address6, 80);
await one.machine.replug('vtc', two.machine);
await one.order({ drop: 'card/vtc' });
await two.order({ card: moving.tap });
results.moved = [...(await again(reach)), await a.machine.order({ say: 'after' })];
results.moved6 = await again(reach6);
results.fromMoved = [await moving.machine.get(a.tap.address, 80), await moving.machine.get(b.tap.address, 80)];

const deny = { id: 'default/deny', direction: 'ingress', rules: [] } as const;
const allow = {
  id: 'default/allow',
  direction: 'ingress',
  rules: [{ peers: { addresses: [a.tap.address], blocks: [] } }],
} as const;
const isolate = (...policies: string[]): NodeOrder => ({
  put: [
    'guest/moving',
    isolationFragment({ address: moving.tap.address, address6: moving.tap.address6, ingress: policies }),
  ],
});
await two.order({ put: ['policy/deny', policyFragment(deny)] });
await two.order(isolate(policyChain(deny)));
results.denied = await reach();
results.denied6 = await reach6();
await two.order({ put: ['policy/allow', policyFragment(allow)] });
await two.order(isolate(policyChain(deny), policyChain(allow)));
results.allowed = await reach();

// It goes back: the way over the other node goes, and its own tap leads to it again.
await two.order({ drop: 'guest/moving' });
await two.machine.replug('vtc', one.machine);
await two.order({ drop: 'card/vtc' });
await one.order({ card: moving.tap });
await one.order({ without: [two.peer, moved] });
results.back = await again(reach);
results.back6 = await again(reach6);
if (hasWireguard) results.handshakes = (await one.machine.exec('wg', 'show', 'vireo0-wg', 'latest-handshakes')).trim();
console.log(JSON.stringify(results));
