/** A node in a network namespace of its own, which does what it is told, one JSON a line. */
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { cardFragment } from '../card.ts';
import { batch, claimNetwork, connectLines, connectTap, ensureNetwork, type Tap } from '../links.ts';
import type { Fragment } from '../nft/fragment.ts';
import { Ruleset } from '../nft/ruleset.ts';
import { addPeer, ensureOverlay, overlayMtu, type Peer, peerFragment, removePeer } from '../overlay.ts';
import { run, transact, useRunner } from '../run.ts';
import { type NetworkPlan, skeleton } from '../skeleton.ts';
import { ensureWireguard } from '../wireguard.ts';

/** What a node is told. */
export interface NodeOrder {
  /** The answer is the port of WireGuard, or why there is none. */
  readonly open?: { readonly plan: NetworkPlan; readonly underlay: string; readonly keyFile?: string };
  readonly peer?: readonly [name: string, peer: Peer];
  /** Another node no longer has these ranges. */
  readonly without?: readonly [peer: Peer, ranges: readonly string[]];
  readonly card?: Tap;
  readonly put?: readonly [owner: string, fragment: Fragment];
  readonly drop?: string;
}

/** A program of the node itself, which guests are not to reach. */
export const NODE_PROGRAM_PORT = 8081;
/** Another one, at a port that a Service could have as node port. */
export const HIGH_PROGRAM_PORT = 30_999;

let network: { plan: NetworkPlan; ruleset: Ruleset } | undefined;

async function open({ plan, underlay, keyFile }: NonNullable<NodeOrder['open']>): Promise<string> {
  await claimNetwork('test');
  await ensureNetwork(plan);
  const ruleset = new Ruleset({
    table: plan.name,
    skeleton: skeleton(plan),
    nft: (script) => run('nft', ['-f', '-'], script),
    transact,
    onReload: (error) => console.error(error),
  });
  await ruleset.apply();
  network = { plan, ruleset };
  const mtu = overlayMtu(1500);
  await ensureOverlay(plan, { underlay, mtu: mtu.vxlan });
  const wireguard = keyFile && (await ensureWireguard(plan.wireguard, { keyFile, mtu: mtu.wireguard }));
  return typeof wireguard === 'object' ? wireguard.reason : String(wireguard ?? '');
}

async function carryOut(order: NodeOrder): Promise<string> {
  if (order.open) return open(order.open);
  if (!network) throw new Error('the network of this node is not open');
  const { plan, ruleset } = network;
  if (order.peer) {
    const [name, peer] = order.peer;
    ruleset.put(`peer/${name}`, peerFragment(peer));
    await addPeer(plan, peer);
  }
  if (order.without) await removePeer(plan, ...order.without);
  if (order.card) {
    const { card } = order;
    ruleset.put(`card/${card.device}`, cardFragment(card));
    await batch(connectLines(plan, card));
    await connectTap(card.device);
  }
  if (order.put) ruleset.put(...order.put);
  if (order.drop) ruleset.drop(order.drop);
  await ruleset.apply();
  return 'done';
}

if (process.argv[1] === import.meta.filename) {
  useRunner();
  for (const port of [NODE_PROGRAM_PORT, HIGH_PROGRAM_PORT])
    createServer((socket) => socket.on('error', () => {}).end('the node itself')).listen(port, '::');
  console.log('ready');
  for await (const line of createInterface({ input: process.stdin }))
    console.log(JSON.stringify(await carryOut(JSON.parse(line) as NodeOrder)));
}
