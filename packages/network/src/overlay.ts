import { batch, readDeviceRoutes, readLinks } from './links.ts';
import type { Fragment } from './nft/fragment.ts';
import { CommandError, run } from './run.ts';
import type { NetworkPlan } from './skeleton.ts';
import { cidr4, device, ipv4, port } from './text.ts';

/** Another node, as this one reaches its guests. */
export interface Peer {
  /** Its address among the nodes. */
  readonly underlay: string;
  /** Its own address in the pod network. */
  readonly own: string;
  /** The ranges and addresses of its guests: its own range, and guests that moved there. */
  readonly ranges: readonly string[];
}

/** How packets travel between nodes. */
export interface OverlaySettings {
  /** This node's address among the nodes. */
  readonly underlay: string;
  /** Tells the packets of one cluster from those of others. */
  readonly vni: number;
  readonly port: number;
  readonly mtu: number;
}

/** The port that VXLAN has by RFC 7348. */
export const VXLAN_PORT = 4789;

/** The hardware address of a node's end: every node derives that of all others. */
const overlayMac = (own: string): string =>
  `02:57:${ipv4(own)
    .split('.')
    .map((octet) => Number(octet).toString(16).padStart(2, '0'))
    .join(':')}`;

/** Makes the device by which guests of other nodes are reached. One that was made for another address is replaced. */
export async function ensureOverlay(plan: NetworkPlan, settings: OverlaySettings): Promise<void> {
  const name = device(plan.overlay);
  const { underlay, vni, mtu } = settings;
  const alias = `overlay ${ipv4(underlay)} ${vni} ${port(settings.port)}`;
  const links = await readLinks();
  const found = links.find(({ ifname }) => ifname === name);
  const isOther = found !== undefined && found.ifalias !== alias;
  const make = `link add ${name} address ${overlayMac(plan.own)} type vxlan id ${vni} dstport ${settings.port} local ${underlay} nolearning`;
  await batch([
    ...(isOther ? [`link del ${name}`] : []),
    ...(found && !isOther ? [] : [make, `link set ${name} alias "${alias}"`]),
    `link set ${name} mtu ${mtu} up`,
  ]);
}

/** What leads to other nodes now: ranges, addresses as ranges of one. */
export const readOverlayRanges = (plan: NetworkPlan): Promise<string[]> => readDeviceRoutes(plan.overlay);

/** Leads to the guests of another node. Twice is no error. */
export async function addPeer(plan: NetworkPlan, peer: Peer): Promise<void> {
  const name = device(plan.overlay);
  const hardware = overlayMac(peer.own);
  await batch([
    `neigh replace ${ipv4(peer.own)} lladdr ${hardware} dev ${name} nud permanent`,
    `route replace ${peer.own}/32 dev ${name} src ${ipv4(plan.own)}`,
    ...peer.ranges.map((range) => `route replace ${cidr4(range)} via ${peer.own} dev ${name} onlink src ${plan.own}`),
  ]);
  await run('bridge', ['fdb', 'replace', hardware, 'dev', name, 'dst', ipv4(peer.underlay), 'self', 'permanent']);
}

/** Forgets ranges of another node, or the whole node. What is gone already is no error. */
export async function removePeer(plan: NetworkPlan, peer: Peer, ranges: readonly string[] | 'all'): Promise<void> {
  const name = device(plan.overlay);
  const gone = ranges === 'all' ? peer.ranges : ranges;
  for (const range of gone) await ignoreMissing(run('ip', ['route', 'del', cidr4(range), 'dev', name]));
  if (ranges !== 'all') return;
  await ignoreMissing(run('ip', ['route', 'del', `${ipv4(peer.own)}/32`, 'dev', name]));
  await ignoreMissing(run('ip', ['neigh', 'del', peer.own, 'dev', name]));
  await ignoreMissing(
    run('bridge', ['fdb', 'del', overlayMac(peer.own), 'dev', name, 'dst', ipv4(peer.underlay), 'self']),
  );
}

async function ignoreMissing(task: Promise<unknown>): Promise<void> {
  try {
    await task;
  } catch (error) {
    if (!(error instanceof CommandError) || !/no such (process|file|device)|cannot find/i.test(error.stderr))
      throw error;
  }
}

/** Lets the packets of another node in; those of strangers are dropped. */
export const peerFragment = ({ underlay }: Peer): Fragment => ({
  elements: [{ family: 'inet', set: 'peers', key: ipv4(underlay) }],
});
