import { hostnameOf } from '@vireo/api/kinds/kubevirt/hostname.ts';
import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { interfaceQueues, type NetworkBackend } from '@vireo/hypervisor';
import {
  cardFragment,
  type ExpectedDevice,
  ensureNetwork,
  ensureTap,
  GATEWAY_MAC,
  HOST_SETTINGS,
  type NetworkPlan,
  type PortRange,
  type RouterAdvertiser,
  type Ruleset,
  readLinkNumber,
  readTaps,
  remakeNetwork,
  removeLink,
} from '@vireo/network';
import { NetworkError } from '../vmi/networks.ts';
import { chooseAddress, isTapName, tapName } from './addresses.ts';
import type { CardStore, GuestCard } from './cards.ts';
import { expectedOfCard, expectedOfNetwork } from './expected.ts';
import type { GuestNetwork, NetworkKind } from './guestNetwork.ts';
import { address6For } from './ipv6.ts';
import { leaseWishes } from './lease.ts';

export interface RoutedNetworkOptions {
  /** The name of this node. */
  readonly node: string;
  readonly plan: NetworkPlan;
  /** Whose network it is on this host. */
  readonly owner: string;
  readonly cards: CardStore;
  readonly ruleset: Ruleset;
  readonly mtu: number;
  /** Puts the policies of a guest into the ruleset. */
  readonly prepareGuest: (uid: string, labels: Readonly<Record<string, string>>) => void;
  /** Whether the cluster has nodes with another agent, whose pods are in a network of their own. */
  readonly hasForeignNodes: () => boolean;
  /** The address that a VMI has on the node that it comes from; undefined if it comes from none. */
  readonly broughtAddress: (uid: string) => string | undefined;
  /** The same of its IPv6 address. */
  readonly broughtAddress6: (uid: string) => string | undefined;
  /** Tells guests of their IPv6 router; missing where they have IPv4 only. */
  readonly advertiser?: Pick<RouterAdvertiser, 'add' | 'remove'>;
  /** Why they have IPv4 only. */
  readonly ipv6Problem?: string | undefined;
  /** Whether a pod anywhere has an address: a guest that moved away has taken its own along. */
  readonly isTakenElsewhere: (address: string, uid: string) => boolean;
  /** Told of a card that somebody had deleted: it is there again, but its guest has none until it restarts. */
  readonly onCut?: (card: GuestCard) => void;
}

/** The pod network of a node that may make devices: a tap and an address for each guest, and the node as router. */
export class RoutedNetwork implements GuestNetwork {
  readonly #options: RoutedNetworkOptions;
  /** Cards as they were connected, by VMI, with the number of the tap: a VMI joins again before its guest starts. */
  readonly #connected = new Map<string, { readonly card: string; readonly number: number }>();
  /** Cards that are being made or removed by device, or repaired. */
  readonly #busy = new Map<string, Promise<unknown>>();

  constructor(options: RoutedNetworkOptions) {
    this.#options = options;
  }

  /** Makes what is missing of the network, and forgets the cards of VMIs that are gone. Rules are not loaded yet. */
  async open(isThere: (uid: string) => boolean): Promise<void> {
    const { plan, cards, ruleset, advertiser } = this.#options;
    await ensureNetwork(plan);
    for (const card of [...cards.all()]) {
      if (!isThere(card.uid)) {
        await removeLink(card.device);
        await cards.remove(card.uid);
        continue;
      }
      ruleset.put(ownerOf(card.uid), cardFragment(card));
      await this.#connect(card);
      advertiser?.add(card.device, { mac: GATEWAY_MAC, mtu: card.mtu });
    }
    // A crash can leave a tap that no card tells of.
    const known = new Set([...cards.all()].map(({ device }) => device));
    for (const tap of await readTaps(plan.name)) if (!known.has(tap)) await removeLink(tap);
  }

  describe(): NetworkKind {
    const { plan, hasForeignNodes, ipv6Problem } = this.#options;
    const ranges = plan.ipv6
      ? `${plan.podRange} and ${plan.ipv6.podRange}`
      : `${plan.podRange}${ipv6Problem ? ` (IPv4 only: ${ipv6Problem})` : ''}`;
    const message = `guests have addresses of ${ranges}, and this node routes between them (${plan.name})`;
    const pods = `guests and pods of other nodes reach each other only if this node has routes to them and their CNI plug-in one to ${plan.podRange}`;
    return {
      kind: 'routed',
      reason: 'GuestsHaveAddresses',
      message: hasForeignNodes() ? `${message}; ${pods}` : message,
    };
  }

  addressOf(uid: string): string | undefined {
    return this.#options.cards.get(uid)?.address;
  }

  addressesOf(uid: string): readonly string[] {
    const { cards, plan } = this.#options;
    const card = cards.get(uid);
    if (!card) return [];
    return plan.ipv6 && card.address6 !== undefined ? [card.address, card.address6] : [card.address];
  }

  cardAt(device: string): GuestCard | undefined {
    for (const card of this.#options.cards.all()) if (card.device === device) return card;
    return undefined;
  }

  cardOf(mac: string): GuestCard | undefined {
    for (const card of this.#options.cards.all()) if (card.mac === mac) return card;
    return undefined;
  }

  async join(vmi: Vmi, iface: string, mac: string): Promise<NetworkBackend> {
    const { cards, ruleset, prepareGuest, advertiser } = this.#options;
    const before = cards.get(vmi.metadata.uid);
    const card = this.#cardFor(vmi, iface, mac);
    // Its address is taken at once, so that no other VMI finds the same.
    const kept = JSON.stringify(before) === JSON.stringify(card) ? undefined : cards.put(card);
    // Who may send as whom is known before anybody can send.
    ruleset.put(ownerOf(card.uid), cardFragment(card));
    prepareGuest(card.uid, launcherLabels(vmi));
    const isConnected = this.#isConnected(card);
    const connect = (): Promise<unknown> => this.#alone(card.device, () => this.#connect(card));
    await Promise.all([kept, ruleset.apply(), isConnected.then((is) => (is ? undefined : connect()))]);
    if (!(await isConnected)) advertiser?.add(card.device, { mac: GATEWAY_MAC, mtu: card.mtu });
    return { kind: 'tap', device: card.device, mac: card.mac, mtu: card.mtu };
  }

  async arrive(uid: string): Promise<void> {
    const { cards } = this.#options;
    const incoming = cards.get(uid);
    if (!incoming?.isIncoming) return;
    await this.#alone(incoming.device, async () => {
      const { isIncoming: _, ...card } = incoming;
      const kept = cards.put(card);
      await Promise.all([kept, this.#connect(card)]);
    });
  }

  async leave(uid: string, iface?: string): Promise<void> {
    const { cards, ruleset, advertiser } = this.#options;
    const card = cards.get(uid);
    if (!card || (iface !== undefined && card.iface !== iface)) return;
    advertiser?.remove(card.device);
    this.#connected.delete(uid);
    const removed = await this.#alone(card.device, async () => {
      // First: a tap without rules could send anything.
      await removeLink(card.device);
      // Without the card at once: whoever sees it puts its rules again.
      return { whenGone: cards.remove(uid) };
    });
    ruleset.drop(ownerOf(uid));
    ruleset.drop(`guest/${uid}`);
    await Promise.all([removed.whenGone, ruleset.apply()]);
  }

  /** What should be true of a device of this network; undefined for others, and for those that are being changed. */
  expectedOf(device: string): ExpectedDevice | undefined {
    const { plan } = this.#options;
    if (device === plan.name) return { has: expectedOfNetwork(plan) };
    if (device === HOST_SETTINGS)
      return { has: new Set(['inet forwarding', ...(plan.ipv6 ? ['inet6 forwarding'] : [])]) };
    const card = isTapName(device) && !this.#busy.has(device) ? this.cardAt(device) : undefined;
    return card && { mtu: card.mtu, has: expectedOfCard(card, plan.ipv6 !== undefined) };
  }

  /** Puts right what others have changed. By device: what of it; everything where missing. Returns whether it was everything. */
  async repair(lost?: ReadonlyMap<string, readonly string[]>): Promise<boolean> {
    const { plan, owner, cards } = this.#options;
    const own = lost?.get(plan.name);
    if (!lost || own || lost.has(HOST_SETTINGS)) {
      await remakeNetwork(plan.name, owner);
      await ensureNetwork(plan);
    }
    // Routes to guests go with the address that they name as this node's.
    const isAll = !lost || own?.some((about) => !about.startsWith('route')) === true;
    // Devices forward again with the host.
    const isBroken = (device: string): boolean =>
      lost?.get(device)?.some((about) => about !== 'inet forwarding' || !lost.has(HOST_SETTINGS)) === true;
    for (const { uid, device } of [...cards.all()])
      if (isAll || isBroken(device)) await this.#alone(device, () => this.#repairCard(uid));
    return isAll;
  }

  async #repairCard(uid: string): Promise<void> {
    const { cards, advertiser, onCut } = this.#options;
    const card = cards.get(uid);
    if (!card || !(await this.#connect(card))) return;
    advertiser?.remove(card.device);
    advertiser?.add(card.device, { mac: GATEWAY_MAC, mtu: card.mtu });
    onCut?.(card);
  }

  /** Does something with a device when nobody else does. */
  async #alone<T>(device: string, task: () => Promise<T>): Promise<T> {
    for (let busy = this.#busy.get(device); busy; busy = this.#busy.get(device)) await busy.catch(() => {});
    const running = task();
    this.#busy.set(device, running);
    try {
      return await running;
    } finally {
      this.#busy.delete(device);
    }
  }

  /** Makes the tap of a card, or what it lacks. Returns whether it was missing. */
  async #connect(card: GuestCard): Promise<boolean> {
    const wasMissing = await ensureTap(this.#options.plan, { ...card, owner: `${card.namespace}/${card.name}` });
    const number = await readLinkNumber(card.device);
    if (number !== undefined) this.#connected.set(card.uid, { card: JSON.stringify(card), number });
    return wasMissing;
  }

  /** Whether the tap is the one that was made for the same card. */
  async #isConnected(card: GuestCard): Promise<boolean> {
    const connected = this.#connected.get(card.uid);
    return connected?.card === JSON.stringify(card) && connected.number === (await readLinkNumber(card.device));
  }

  #cardFor(vmi: Vmi, iface: string, mac: string): GuestCard {
    const { cards, plan, mtu, node, broughtAddress } = this.#options;
    const { uid, name, namespace = '' } = vmi.metadata;
    const { nodeName } = vmi.status ?? {};
    const own = (vmi.spec.domain.devices.interfaces ?? []).find((each) => each.name === iface);
    const before = cards.get(uid);
    const isIncoming = before ? before.isIncoming : nodeName !== undefined && nodeName !== '' && nodeName !== node;
    const address = before?.address ?? broughtAddress(uid) ?? (isIncoming ? undefined : this.#freeAddress(uid));
    if (address === undefined && isIncoming)
      throw new NetworkError(iface, `the address that the guest has on node ${nodeName} is not known yet`);
    if (address === undefined)
      throw new NetworkError(iface, `the range ${plan.podRange} of this node has no free address`);
    const address6 = before?.address6 ?? this.#address6(uid, address);
    const ports = own && openPorts(own);
    const wishes = leaseWishes(vmi, iface);
    const card: GuestCard = {
      uid,
      namespace,
      name,
      iface,
      device: tapName(uid, iface),
      mac: (own?.macAddress || mac).toLowerCase().replaceAll('-', ':'),
      address,
      ...(address6 !== undefined && { address6 }),
      // A guest keeps what it was told when it started.
      mtu: before?.mtu ?? mtu,
      hostname: hostnameOf(vmi),
      ...(vmi.spec.subdomain && { subdomain: vmi.spec.subdomain }),
      ...(own && interfaceQueues(vmi.spec.domain, own) > 1 && { isMultiqueue: true }),
      ...(ports && { ports }),
      ...(isIncoming && { isIncoming }),
      ...(wishes && { wishes }),
    };
    return card;
  }

  /** Goes with the IPv4 address, unless the guest brings its own. */
  #address6(uid: string, address: string): string | undefined {
    const { podRange, ipv6 } = this.#options.plan;
    return ipv6 && (this.#options.broughtAddress6(uid) ?? address6For(podRange, ipv6.podRange, address));
  }

  #freeAddress(uid: string): string | undefined {
    const { cards, plan, isTakenElsewhere } = this.#options;
    const here = new Set([...cards.all()].map(({ address }) => address));
    return chooseAddress(plan.podRange, uid, (address) => here.has(address) || isTakenElsewhere(address, uid));
  }
}

const ownerOf = (uid: string): string => `card/${uid}`;

/** The ports of an interface with `masquerade` that others reach; undefined for all. */
export function openPorts({ masquerade, ports = [], portRanges = [] }: Interface): PortRange[] | undefined {
  if (!masquerade || (ports.length === 0 && portRanges.length === 0)) return undefined;
  const protocolOf = (text: string | undefined) => ((text || 'TCP').toLowerCase() === 'udp' ? 'udp' : 'tcp');
  return [
    ...ports.map(({ port, protocol }) => ({ protocol: protocolOf(protocol), first: port }) as const),
    ...portRanges.map(
      ({ start, end, protocol }) => ({ protocol: protocolOf(protocol), first: start, last: end }) as const,
    ),
  ];
}

/** The labels that a VMI's launcher pod has, whether it is known here or not. */
const launcherLabels = ({ metadata }: Vmi): Record<string, string> => ({
  ...metadata.labels,
  'kubevirt.io': 'virt-launcher',
  [CREATED_BY_LABEL]: metadata.uid,
});
