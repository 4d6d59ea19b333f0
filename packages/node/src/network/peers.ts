import { isIPv4, isIPv6 } from 'node:net';
import type { Node, Persisted, Pod } from '@vireo/api';
import { AGENT_VERSION_SUFFIX } from '@vireo/api/kinds/kubevirt/identities.ts';
import {
  type Client,
  type Clock,
  type ControllerMetrics,
  type Log,
  runController,
  WorkQueue,
  watch,
} from '@vireo/kube';
import {
  addPeer,
  contains,
  contains6,
  type ExpectedDevice,
  ensureOverlay,
  type NetworkPlan,
  nodeAddress,
  type OverlaySettings,
  overlaps,
  overlaps6,
  type Peer,
  type Plan6,
  peerFragment,
  type Ruleset,
  readAddresses4,
  readAddresses6,
  readDeviceRoutes,
  readDeviceRoutes6,
  readWireguardPeers,
  removeLink,
  removePeer,
  removeRange,
  unsetWireguardPeer,
} from '@vireo/network';
import { isIn, podAddresses } from './addresses.ts';
import { announce, announcedAddresses, announcedWireguard, isAnnounced } from './announce.ts';
import { encryptionCondition, type Wireguard } from './encryption.ts';
import { nodeAddress6 } from './ipv6.ts';
import type { NetworkObjects } from './objects.ts';

export interface PeersContext {
  readonly plan: NetworkPlan;
  readonly overlay: OverlaySettings;
  /** This node's end of WireGuard, or why it has none. */
  readonly wireguard: Wireguard;
  /** Makes WireGuard's device again, where somebody has deleted it. */
  readonly openWireguard: () => Promise<Wireguard>;
  readonly objects: Pick<NetworkObjects, 'nodes' | 'pods'>;
  readonly ruleset: Ruleset;
  readonly node: string;
  /** Writes the Node. */
  readonly kubelet: Client;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly clock: Clock;
}

/** Whether a Node is a kubelet's, and not one of ours. */
export const isForeign = ({ status }: Node): boolean =>
  status?.nodeInfo !== undefined && !status.nodeInfo.kubeletVersion?.endsWith(AGENT_VERSION_SUFFIX);

/** What this node is, for others to be reached from it. */
export interface OwnEnd {
  readonly podRange: string;
  readonly clusterRange: string;
  readonly serviceRange: string;
  readonly ipv6?: Pick<Plan6, 'podRange' | 'clusterRange' | 'serviceRange'> | undefined;
  readonly hasWireguard: boolean;
}

/**
 * Another node as this one reaches its guests; undefined if it has none that can be reached. `pods`: of that node; guests
 * that moved there keep addresses that are not of its range. Whatever the Node and its pods say, they take no addresses of
 * others: neither this node's range nor anything that is not a guest's.
 */
export function peerOf(node: Node, pods: readonly Pod[], own: OwnEnd): Peer | undefined {
  const { spec, status } = node;
  const { podCIDR, podCIDRs = podCIDR ? [podCIDR] : [] } = spec ?? {};
  const range = podCIDRs.find((each) => isIPv4(addressIn(each)));
  const underlay = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  if (!status?.nodeInfo || isForeign(node) || !isAnnounced(node)) return undefined;
  if (!range || !underlay || !isIPv4(underlay)) return undefined;
  if (!contains(own.clusterRange, addressIn(range)) || overlaps(own.podRange, range)) return undefined;
  const range6 = podCIDRs.find((each) => isIPv6(addressIn(each)) && isRangeOfOther(each, own));
  const addresses = pods
    .filter(({ status: { phase, hostIP, podIP } = {} }) => phase === 'Running' && podIP !== hostIP)
    .flatMap(podAddresses);
  const moved = [
    ...addresses.filter((each) => isIn(own.clusterRange, each) && !isIn(range, each)).map((each) => `${each}/32`),
    ...(own.ipv6 && range6 ? movedTo(range6, own.ipv6.clusterRange, addresses) : []),
  ];
  const wireguard = own.hasWireguard ? announcedWireguard(node) : undefined;
  const others = announcedAddresses(node).filter((each) => each !== underlay && isOutside(each, own));
  const ranges = [range, ...(range6 ? [range6] : []), ...[...new Set(moved)].sort()];
  return {
    ...{ underlay, own: nodeAddress(range), ranges },
    ...(range6 && { own6: nodeAddress6(range, range6) }),
    ...(others.length > 0 && { addresses: others }),
    ...(wireguard && { wireguard }),
  };
}

const addressIn = (range: string): string => range.split('/')[0] ?? '';

/** Whether an IPv6 range is another node's of this cluster. */
const isRangeOfOther = (range: string, { ipv6 }: OwnEnd): boolean =>
  ipv6 !== undefined && contains6(ipv6.clusterRange, addressIn(range)) && !overlaps6(ipv6.podRange, range);

/** Whether an address is neither a guest's nor a Service's: no Node keeps others from those. */
const isOutside = (address: string, { clusterRange, serviceRange, ipv6 }: OwnEnd): boolean => {
  const ranges = isIPv6(address) ? [ipv6?.clusterRange, ipv6?.serviceRange] : [clusterRange, serviceRange];
  return !ranges.some((range) => range !== undefined && isIn(range, address));
};

const movedTo = (range: string, clusterRange: string, addresses: readonly string[]): string[] =>
  addresses.filter((each) => isIn(clusterRange, each) && !isIn(range, each)).map((each) => `${each}/128`);

/**
 * What becomes of the ranges that a node no longer has: those that another has now lead there, the rest goes. A guest that
 * moves is at its new node before it is gone from the old one, or after; either way, it is to be found.
 */
export function formerRanges(
  former: readonly string[],
  others: Iterable<Peer>,
): { readonly gone: string[]; readonly heirs: Peer[] } {
  if (former.length === 0) return { gone: [], heirs: [] };
  const heirs = [...others].filter(({ ranges }) => former.some((range) => ranges.includes(range)));
  return { gone: former.filter((range) => !heirs.some(({ ranges }) => ranges.includes(range))), heirs };
}

/** Keeps the ways to the guests of other nodes. */
export class Peers {
  readonly #context: PeersContext;
  readonly #queue: WorkQueue;
  /** What the kernel has, by the name of the node. */
  readonly #known = new Map<string, Peer>();
  readonly #own: OwnEnd;
  /** Nodes whose ways somebody else may have removed. */
  readonly #stale = new Set<string>();
  #hasOverlay = false;
  /** How many changes of ways are under way. */
  #changing = 0;
  /** A range that the Node was given since this node has started. */
  #otherRange: string | undefined;

  constructor(context: PeersContext) {
    this.#context = context;
    const { podRange, clusterRange, serviceRange, ipv6 } = context.plan;
    this.#own = { podRange, clusterRange, serviceRange, ipv6, hasWireguard: 'publicKey' in context.wireguard };
    this.#queue = new WorkQueue({ clock: context.clock });
  }

  /** Makes all ways, and follows changes until `signal` aborts. */
  async start(signal: AbortSignal): Promise<{ ended: Promise<void> }> {
    const { objects, node, log, clock, metrics } = this.#context;
    const { nodes, pods } = objects;
    // What fails here is tried again, and does not keep the guests of this node from starting.
    const attempt = (name: string, task: Promise<unknown>): Promise<unknown> =>
      task.catch((error: unknown) => {
        log.warn('guests of other nodes cannot be reached', { kind: 'Node', name }, { error });
        this.#queue.add(name);
      });
    for (const { metadata } of nodes.list())
      if (metadata.name !== node) await attempt(metadata.name, this.#lead(metadata.name));
    await this.#removeFormer();
    await attempt(node, this.#announce());
    const isElsewhere = ({ spec }: Pod): boolean => spec?.nodeName !== undefined && spec.nodeName !== node;
    const nodeOf = (pod: Persisted<Pod>): string[] =>
      isElsewhere(pod) && pod.spec?.nodeName ? [pod.spec.nodeName] : [];
    const isSameNode = (a: Node, b: Node): boolean => isSame(peerOf(a, [], this.#own), peerOf(b, [], this.#own));
    const ended = runController(
      {
        name: 'network-peers',
        queue: this.#queue,
        watches: [
          watch(nodes, {
            added: ({ metadata }) => metadata.name,
            // Of its own, every change: somebody may have changed what it announces.
            updated: (old, now) => (now.metadata.name !== node && isSameNode(old, now) ? undefined : now.metadata.name),
            deleted: ({ metadata }) => metadata.name,
          }),
          watch(pods, {
            added: nodeOf,
            updated: (old, pod) =>
              String(podAddresses(old)) === String(podAddresses(pod)) && old.status?.phase === pod.status?.phase
                ? undefined
                : nodeOf(pod),
            deleted: nodeOf,
          }),
        ],
        reconcile: async (name) => {
          if (name === node) await this.#announce();
          else if (await this.#leadNow(name)) this.#queue.add(node);
          return undefined;
        },
      },
      { log, clock, ...(metrics && { metrics }) },
      signal,
    );
    return { ended };
  }

  async #leadNow(name: string): Promise<boolean> {
    this.#changing++;
    try {
      return await this.#lead(name);
    } finally {
      this.#changing--;
    }
  }

  /** Leads to the guests of another node as it is now; false if nothing changed. */
  async #lead(name: string): Promise<boolean> {
    const { objects, plan, ruleset } = this.#context;
    const found = objects.nodes.get(name);
    const before = this.#known.get(name);
    const peer = found && peerOf(found, objects.pods.byIndex('node', name), this.#own);
    const isStale = this.#stale.delete(name);
    if (isSame(before, peer)) {
      if (isStale && peer) await this.#remake(name, peer);
      return false;
    }
    if (before) {
      const isOther = !peer || !isSame(endOf(before), endOf(peer));
      const former = before.ranges.filter((range) => isOther || !peer.ranges.includes(range));
      const others = [...this.#known].filter(([each]) => each !== name).map(([, each]) => each);
      const { gone, heirs } = formerRanges(former, others);
      await removePeer(plan, { ...before, ranges: gone }, isOther ? 'all' : gone);
      for (const heir of heirs) await addPeer(plan, heir);
      if (isOther) ruleset.drop(`peer/${name}`);
      this.#known.delete(name);
    }
    if (peer) {
      if (!peer.wireguard) await this.#ensureOverlay();
      ruleset.put(`peer/${name}`, peerFragment(peer));
      await addPeer(plan, peer);
      this.#known.set(name, peer);
    }
    await ruleset.apply();
    return true;
  }

  /** What should be true of a device that leads to other nodes; undefined for others, and while ways change. */
  expectedOf(device: string): ExpectedDevice | undefined {
    const { plan, wireguard } = this.#context;
    const isWireguard = device === plan.wireguard;
    if (isWireguard ? !('publicKey' in wireguard) : device !== plan.overlay || !this.#hasOverlay) return undefined;
    if (this.#changing > 0) return undefined;
    const peers = [...this.#known.values()].filter((peer) => (peer.wireguard !== undefined) === isWireguard);
    return { has: new Set(['link', ...peers.flatMap(waysTo)]) };
  }

  /** Makes devices and ways again that others have removed. */
  async repair(): Promise<void> {
    const { wireguard, openWireguard } = this.#context;
    if ('publicKey' in wireguard) {
      const remade = await openWireguard();
      if (!isSame(wireguard, remade))
        throw new Error(`WireGuard is no longer as other nodes know it: ${JSON.stringify(remade)}; restart this node`);
    }
    this.#hasOverlay = false;
    for (const name of this.#known.keys()) {
      this.#stale.add(name);
      this.#queue.add(name);
    }
  }

  async #remake(name: string, peer: Peer): Promise<void> {
    try {
      if (!peer.wireguard) await this.#ensureOverlay();
      await addPeer(this.#context.plan, peer);
    } catch (error) {
      this.#stale.add(name);
      throw error;
    }
  }

  async #ensureOverlay(): Promise<void> {
    const { plan, overlay } = this.#context;
    if (this.#hasOverlay) return;
    await ensureOverlay(plan, overlay);
    this.#hasOverlay = true;
  }

  /** Removes what an earlier run led to, and nobody is there any more. */
  async #removeFormer(): Promise<void> {
    const { plan, wireguard } = this.#context;
    const peers = [...this.#known.values()];
    const wanted = (hasWireguard: boolean): Set<string> =>
      new Set(
        peers
          .filter((peer) => (peer.wireguard !== undefined) === hasWireguard)
          .flatMap(({ own, own6, ranges }) => [`${own}/32`, ...(own6 ? [`${own6}/128`] : []), ...ranges]),
      );
    if (!this.#hasOverlay) await removeLink(plan.overlay);
    else await removeOthers(plan.overlay, wanted(false));
    if (!('publicKey' in wireguard)) return;
    await removeOthers(plan.wireguard, wanted(true));
    const keys = new Set(peers.map((peer) => peer.wireguard?.publicKey));
    for (const key of await readWireguardPeers(plan.wireguard))
      if (!keys.has(key)) await unsetWireguardPeer(plan.wireguard, key);
  }

  /** Tells other nodes how to lead here, and everybody whether packets are encrypted. */
  async #announce(): Promise<void> {
    const { objects, plan, kubelet, wireguard, node, log, clock } = this.#context;
    const own = objects.nodes.get(node);
    if (!own) return;
    const range = own.spec?.podCIDR;
    if (range && range !== plan.podRange && range !== this.#otherRange) {
      this.#otherRange = range;
      const hint = `guests get addresses of ${plan.podRange} until this node is started again`;
      log.warn('the Node has another spec.podCIDR now', { kind: 'Node', name: node }, { podCIDR: range, hint });
    }
    const found6 = this.#own.ipv6 ? (await readAddresses6()).map(({ address }) => address) : [];
    const announcement = {
      isRouted: true,
      addresses: [...(await readAddresses4()), ...found6].filter((each) => isOutside(each, this.#own)),
      wireguard: 'publicKey' in wireguard ? wireguard : undefined,
      condition: encryptionCondition(wireguard, this.#known),
    };
    await announce(kubelet, own, announcement, new Date(clock.now()));
  }
}

/** The ways to another node, as `ip` prints them: a single address without its length. */
const waysTo = ({ underlay, own, own6, ranges, wireguard }: Peer): string[] => {
  const owns = wireguard ? [] : [own, ...(own6 === undefined ? [] : [own6])];
  return [
    ...[...owns, ...ranges].map((range) => `route ${range.replace(/\/(32|128)$/, '')}`),
    // The entry by which VXLAN finds the node looks like a neighbour.
    ...(wireguard ? [] : [...owns, underlay].map((address) => `neighbour ${address}`)),
  ];
};

async function removeOthers(name: string, wanted: ReadonlySet<string>): Promise<void> {
  const found = [...(await readDeviceRoutes(name)), ...(await readDeviceRoutes6(name))];
  for (const range of found) if (!wanted.has(range)) await removeRange(name, range);
}

/** What the way to a node depends on. */
const endOf = (peer: Peer): Peer => ({ ...peer, ranges: [], addresses: [] });

const isSame = <T>(a: T | undefined, b: T | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
