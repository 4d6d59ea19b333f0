import { isIPv6 } from 'node:net';
import { FAMILIES } from './families.ts';
import { batch, readLinks } from './links.ts';
import type { Fragment } from './nft/fragment.ts';
import { CommandError, run } from './run.ts';
import type { NetworkPlan } from './skeleton.ts';
import { cidr, device, ipv4, ipv6, port, vni } from './text.ts';
import { setWireguardPeer, unsetWireguardPeer, type WireguardEnd } from './wireguard.ts';

/** Another node, as this one reaches its guests. */
export interface Peer {
  /** Its address among the nodes. */
  readonly underlay: string;
  /** Its own address in the pod network. */
  readonly own: string;
  /** The same by IPv6; missing where it has none. */
  readonly own6?: string;
  /** The ranges and addresses of its guests, of both families: its own ranges, and guests that moved there. */
  readonly ranges: readonly string[];
  /** What other addresses it has, of both families: guests reach no programs of it there. */
  readonly addresses?: readonly string[];
  /** Where both nodes have WireGuard: its end. Missing: packets travel by VXLAN, in the clear. */
  readonly wireguard?: WireguardEnd;
}

/** How packets travel between nodes. */
export interface OverlaySettings {
  /** This node's address among the nodes. */
  readonly underlay: string;
  readonly mtu: number;
}

/** The port that VXLAN has by RFC 7348. */
export const VXLAN_PORT = 4789;

/** Behind the route to a tap, which has none: as long as a guest is here, its packets stay here. */
const METRIC = 100;

/** The hardware address of a node's end: every node derives that of all others. */
export const overlayMac = (underlay: string): string =>
  `02:57:${ipv4(underlay)
    .split('.')
    .map((octet) => Number(octet).toString(16).padStart(2, '0'))
    .join(':')}`;

/** Makes the device by which guests of other nodes are reached. One that was made for another address is replaced. */
export async function ensureOverlay(plan: NetworkPlan, { underlay, mtu }: OverlaySettings): Promise<void> {
  const name = device(plan.overlay);
  const id = vni(plan.vni);
  const alias = `overlay ${ipv4(underlay)} ${id} ${port(plan.overlayPort)}`;
  const links = await readLinks();
  const found = links.find(({ ifname }) => ifname === name);
  const isOther = found !== undefined && found.ifalias !== alias;
  const make = `link add ${name} address ${overlayMac(underlay)} type vxlan id ${id} dstport ${plan.overlayPort} local ${underlay} nolearning`;
  await batch([
    ...(isOther ? [`link del ${name}`] : []),
    ...(found && !isOther ? [] : [make, `link set ${name} alias "${alias}"`]),
    `link set ${name} mtu ${mtu} up`,
  ]);
}

/** The commands of `ip` that lead to the guests of another node. Twice is no error. */
export const peerLines = (plan: NetworkPlan, peer: Peer): string[] => [
  ...familyLines(plan, peer, { ...FAMILIES.IPv4, length: 32, source: plan.own, own: peer.own }),
  ...(plan.ipv6 && peer.own6 !== undefined
    ? familyLines(plan, peer, { ...FAMILIES.IPv6, length: 128, source: plan.ipv6.own, own: peer.own6 })
    : []),
];

/** What differs between families on the way to another node. */
interface Way {
  readonly isOf: (address: string) => boolean;
  readonly address: (text: string) => string;
  readonly range: (text: string) => string;
  /** The length of the prefix of a single address. */
  readonly length: number;
  /** The address of this node, and of the other one. */
  readonly source: string;
  readonly own: string;
}

function familyLines(plan: NetworkPlan, { underlay, ranges, wireguard }: Peer, way: Way): string[] {
  const source = `src ${way.address(way.source)} metric ${METRIC}`;
  const checked = ranges.filter((range) => way.isOf(range.split('/')[0] ?? '')).map(way.range);
  if (wireguard) return checked.map((range) => `route replace ${range} dev ${device(plan.wireguard)} ${source}`);
  const name = device(plan.overlay);
  const own = way.address(way.own);
  return [
    `neigh replace ${own} lladdr ${overlayMac(underlay)} dev ${name} nud permanent`,
    `route replace ${own}/${way.length} dev ${name} ${source}`,
    ...checked.map((range) => `route replace ${range} via ${own} dev ${name} onlink ${source}`),
  ];
}

/** Leads to the guests of another node. Twice is no error. */
export async function addPeer(plan: NetworkPlan, peer: Peer): Promise<void> {
  const { underlay, ranges, wireguard } = peer;
  if (wireguard) await setWireguardPeer(plan.wireguard, { ...wireguard, underlay, ranges });
  await batch(peerLines(plan, peer));
  if (wireguard) return;
  const entry = [overlayMac(underlay), 'dev', plan.overlay, 'dst', ipv4(underlay), 'self', 'permanent'];
  await run('bridge', ['fdb', 'replace', ...entry]);
}

/** Forgets ranges of another node, or the whole node. What is gone already is no error. */
export async function removePeer(plan: NetworkPlan, peer: Peer, ranges: readonly string[] | 'all'): Promise<void> {
  const name = device(peer.wireguard ? plan.wireguard : plan.overlay);
  const gone = ranges === 'all' ? peer.ranges : ranges;
  for (const range of gone) await removeRange(name, range);
  if (ranges !== 'all') return;
  if (peer.wireguard) return unsetWireguardPeer(name, peer.wireguard.publicKey);
  await removeRange(name, `${ipv4(peer.own)}/32`);
  await ignoreMissing(run('ip', ['neigh', 'del', peer.own, 'dev', name]));
  if (peer.own6 !== undefined) {
    await removeRange(name, `${ipv6(peer.own6)}/128`);
    await ignoreMissing(run('ip', ['neigh', 'del', peer.own6, 'dev', name]));
  }
  const entry = [overlayMac(peer.underlay), 'dev', name, 'dst', ipv4(peer.underlay), 'self'];
  await ignoreMissing(run('bridge', ['fdb', 'del', ...entry]));
}

/** Forgets a range that leads to other nodes by a device; one that is gone is no error. */
export const removeRange = (name: string, range: string): Promise<void> =>
  ignoreMissing(run('ip', ['route', 'del', cidr(range), 'dev', device(name), 'metric', String(METRIC)]));

async function ignoreMissing(task: Promise<unknown>): Promise<void> {
  try {
    await task;
  } catch (error) {
    if (!(error instanceof CommandError) || !/no such (process|file|device)|cannot find/i.test(error.stderr))
      throw error;
  }
}

/** Lets the packets of another node in; those of strangers are dropped. Guests reach it as little as their own node. */
export const peerFragment = ({ underlay, addresses = [] }: Peer): Fragment => ({
  elements: [
    { family: 'inet', set: 'underlays', key: ipv4(underlay) },
    ...new Set([underlay, ...addresses]).values().map((each) => {
      const { suffix, address } = FAMILIES[isIPv6(each) ? 'IPv6' : 'IPv4'];
      return { family: 'inet', set: `peers${suffix}`, key: address(each) } as const;
    }),
  ],
});

/** What VXLAN adds to a packet, and WireGuard, which may run over IPv6 one day. */
const VXLAN_OVERHEAD = 50;
const WIREGUARD_OVERHEAD = 80;
/** Of a link that names none, and of the loopback device, which other nodes do not reach. */
const USUAL_MTU = 1500;
const LARGEST_MTU = 9216;

/** What fits into a packet between nodes, by what fits into one of their own. */
export function overlayMtu(underlay: number | undefined): { readonly vxlan: number; readonly wireguard: number } {
  const whole = underlay === undefined || underlay > LARGEST_MTU ? USUAL_MTU : underlay;
  return { vxlan: whole - VXLAN_OVERHEAD, wireguard: whole - WIREGUARD_OVERHEAD };
}
