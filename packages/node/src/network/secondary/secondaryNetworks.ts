import { join } from 'node:path';
import { hostnameOf } from '@vireo/api/kinds/kubevirt/hostname.ts';
import type { Network } from '@vireo/api/kinds/kubevirt/network.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { interfaceQueues, type NetworkBackend } from '@vireo/hypervisor';
import type { Client, EventRecorder, Log } from '@vireo/kube';
import {
  type BridgeNetwork,
  CommandError,
  ConfigError,
  chooseCardAddress,
  chooseCardAddress6,
  claimNetwork,
  FIRST_NUMBER,
  findNetwork,
  gatewayRange6,
  type Ipam,
  isInRange,
  isInRange6,
  isOwnBridge,
  LAST_NUMBER,
  overlaps,
  overlaps6,
  readRoutes,
  readRoutes6,
  type SecondaryNetwork,
  toAddress,
} from '@vireo/network';
import { NetworkError } from '../../vmi/networks.ts';
import { tapName } from '../addresses.ts';
import { hostIpv6Problem } from '../ipv6.ts';
import { leaseWishes } from '../lease.ts';
import { CardDevices, hasGateways, hasPorts } from './cardDevices.ts';
import { readDefinition } from './definition.ts';
import { type HostDevice, readHostDevice } from './hostDevice.ts';
import { judgeBridge, judgeLower } from './judge.ts';
import { type CardRecord, CardRecords, cardAddresses, recordKey } from './records.ts';

export interface SecondaryNetworksOptions {
  readonly client: Client;
  readonly home: string;
  /** Whose devices these are. */
  readonly owner: string;
  /** Whether this process may make and connect devices. */
  readonly isRoot: boolean;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly log: Log;
}

/** The networks of a node besides the pod network, as NetworkAttachmentDefinitions describe them. */
export class SecondaryNetworks implements AsyncDisposable {
  readonly #options: SecondaryNetworksOptions;
  readonly #records: CardRecords;
  /** The devices of this node; undefined until a card needs any. */
  #devices: Promise<CardDevices> | undefined;
  /** What was said of each VMI already. */
  readonly #warnings = new Map<string, Set<string>>();
  /** Cards as they are in the kernel, so that connecting one again costs nothing. */
  readonly #connected = new Map<string, string>();
  /** The bridges that were made here. */
  readonly #ownBridges = new Set<string>();
  #noIpv6: Promise<string | undefined> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: SecondaryNetworksOptions, records: CardRecords) {
    this.#options = options;
    this.#records = records;
  }

  /** Takes over what an earlier run has left: cards of VMIs that are there are made whole, and others removed. */
  static async open(options: SecondaryNetworksOptions, isThere: (uid: string) => boolean): Promise<SecondaryNetworks> {
    const records = await CardRecords.open(join(options.home, 'network', 'secondary'));
    const networks = new SecondaryNetworks(options, records);
    const hasDevices = options.isRoot && (await findNetwork(options.owner).catch(() => undefined)) !== undefined;
    if (!hasDevices && records.all().length === 0) return networks;
    for (const record of records.all()) if (!isThere(record.uid)) await records.remove(record);
    const devices = await networks.#open();
    await devices.reconcile(records.all());
    for (const record of records.all()) {
      networks.#connected.set(keyOf(record), JSON.stringify(record));
      for (const bridge of ownBridgeOf(record)) networks.#ownBridges.add(bridge);
    }
    return networks;
  }

  /** The cards of a VMI that this node has made. */
  cardsOf(uid: string): readonly CardRecord[] {
    return this.#records.of(uid);
  }

  /** The devices of a VMI's cards that are macvtaps. */
  macvtapsOf(uid: string): string[] {
    return this.#records.of(uid).flatMap(({ device, network }) => (network.type === 'macvtap' ? [device] : []));
  }

  /** The addresses of a VMI in these networks, by interface. */
  addressesOf(uid: string): Record<string, readonly string[]> {
    const given = this.#records.of(uid).filter(({ dhcp }) => dhcp);
    return Object.fromEntries(given.map((record) => [record.iface, cardAddresses(record)]));
  }

  /** How an interface of a VMI would be connected to a network. `mac`: the card's own. */
  async plan(vmi: Vmi, network: Network, mac: string): Promise<NetworkBackend> {
    return (await this.#resolve(vmi, network, mac)).backend;
  }

  /**
   * Connects an interface of a VMI to its network. Twice gives the same. Its guest must not have the card yet, unless what it
   * has is the device that `plan` names.
   */
  async connect(vmi: Vmi, network: Network, mac: string): Promise<NetworkBackend> {
    const { backend, wanted, found, isOwn, refuse } = await this.#resolve(vmi, network, mac);
    try {
      const before = this.#records.get(vmi.metadata.uid, network.name);
      if (before && (backend.kind !== 'tap' || backend.device !== before.device)) await this.#remove(before);
      if (backend.kind !== 'tap') return backend;
      const { device, mtu = USUAL_MTU } = backend;
      const card = { device, mac, mtu, network: wanted, ...(isOwn && { isOnOwnBridge: true }) };
      const record = await this.#inTurn(() => this.#prepare(vmi, network.name, card, found));
      await this.#connectDevice(record);
      // It may have been the last on another bridge.
      if (before) await this.#inTurn(() => this.#removeIdleBridges());
      return backend;
    } catch (error) {
      if (error instanceof CommandError || error instanceof ConfigError) throw refuse(error.message, error);
      throw error;
    }
  }

  /** Removes what connects an interface of a VMI; its guest must not have it any more. */
  async disconnect(uid: string, iface: string): Promise<void> {
    const record = this.#records.get(uid, iface);
    if (record) await this.#remove(record);
  }

  /** Removes all that a VMI has. */
  async leave(uid: string): Promise<void> {
    this.#warnings.delete(uid);
    for (const record of this.#records.of(uid)) await this.#remove(record);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#devices)?.[Symbol.asyncDispose]();
  }

  /** Reads the definition of a network and what this node has of it; throws where it cannot be had. */
  async #resolve(vmi: Vmi, network: Network, mac: string): Promise<Resolved> {
    const { client, isRoot } = this.#options;
    const { network: defined, warnings, what } = await readDefinition(client, network, vmi.metadata.namespace ?? '');
    const refuse = (why: string, cause?: unknown): NetworkError =>
      new NetworkError(network.name, `${what}: ${why}`, cause === undefined ? undefined : { cause });
    if (!isRoot) throw refuse('only root can connect VMs to bridges and devices of the host');
    const hasRange6 = defined.type === 'bridge' && defined.ipam?.ranges6 !== undefined;
    const noIpv6 = hasRange6 ? await this.#ipv6Problem() : undefined;
    const wanted = noIpv6 === undefined ? defined : withoutIpv6(defined);
    if (!wanted) throw refuse(`ipam has IPv6 addresses only: ${noIpv6}`);
    if (noIpv6 !== undefined) this.#warn(vmi, `${what}: ipam gives out no IPv6 addresses: ${noIpv6}`);
    const found =
      wanted.type === 'bridge'
        ? await readHostDevice(wanted.bridge, { withAddresses: wanted.ipam !== undefined })
        : await readHostDevice(wanted.lower);
    const isOwn = await this.#isOwn(wanted, found);
    const judged = wanted.type === 'bridge' ? judgeBridge(wanted, found, isOwn) : judgeLower(wanted, found);
    if (judged.problem) throw refuse(judged.problem);
    for (const warning of [...warnings, ...judged.warnings]) this.#warn(vmi, `${what}: ${warning}`);
    const mtu = wanted.mtu ?? (found?.mtu === USUAL_MTU ? undefined : found?.mtu);
    const common = { mac, ...(mtu !== undefined && { mtu }) };
    const backend: NetworkBackend =
      wanted.type === 'bridge' && !isOwn && !needsTap(wanted)
        ? { kind: 'bridge', bridge: wanted.bridge, ...common }
        : { kind: 'tap', device: deviceName(vmi.metadata.uid, network.name, wanted), ...common };
    return { backend, wanted, found, isOwn, refuse };
  }

  async #isOwn(wanted: SecondaryNetwork, found: HostDevice | undefined): Promise<boolean> {
    if (wanted.type !== 'bridge') return false;
    if (!found) return wanted.isMadeIfMissing;
    // Only those who have devices can have made it.
    return this.#devices !== undefined && isOwnBridge((await this.#devices).network, found.alias);
  }

  async #prepare(
    vmi: Vmi,
    iface: string,
    card: Pick<CardRecord, 'device' | 'network' | 'mac' | 'mtu' | 'isOnOwnBridge'>,
    found: HostDevice | undefined,
  ): Promise<CardRecord> {
    const { uid, name, namespace = '' } = vmi.metadata;
    const own = (vmi.spec.domain.devices.interfaces ?? []).find((each) => each.name === iface);
    const dhcp = card.network.type === 'bridge' ? this.#dhcpFor(vmi, iface, card.network, found) : undefined;
    const wishes = leaseWishes(vmi, iface);
    const record: CardRecord = {
      uid,
      iface,
      vmi: `${namespace}/${name}`,
      hostname: hostnameOf(vmi),
      ...card,
      ...(own && interfaceQueues(vmi.spec.domain, own) > 1 && { isMultiqueue: true }),
      ...(dhcp && { dhcp }),
      ...(dhcp && wishes && { wishes }),
    };
    const devices = await this.#open();
    const bridge = card.isOnOwnBridge && card.network.type === 'bridge' ? card.network : undefined;
    if (bridge) await refuseForeignRange(bridge, found);
    // First on disk: what is in no record is removed.
    if (JSON.stringify(this.#records.get(uid, iface)) !== JSON.stringify(record)) await this.#records.put(record);
    if (bridge) {
      this.#ownBridges.add(bridge.bridge);
      await devices.ensureBridge(bridge, found);
    }
    return record;
  }

  #dhcpFor(vmi: Vmi, iface: string, network: BridgeNetwork, found: HostDevice | undefined): CardRecord['dhcp'] {
    const { ipam, bridge, vlan } = network;
    if (!ipam) return undefined;
    const { uid, name, namespace } = vmi.metadata;
    const before = this.#records.get(uid, iface)?.dhcp;
    const card = `${namespace}/${name}/${iface}`;
    const others = this.#records.all().filter((each) => each.uid !== uid || each.iface !== iface);
    const neighbours = others.filter(
      ({ network: of }) => of.type === 'bridge' && of.bridge === bridge && of.vlan === vlan,
    );
    const taken = new Map(neighbours.flatMap((each) => cardAddresses(each).map((address) => [address, each.vmi])));
    for (const address of found?.addresses ?? []) taken.set(address.split('/')[0] ?? '', 'this node');
    const isTaken = (address: string): boolean => taken.has(address);
    const kept = { address: before?.address, address6: before?.address6 };
    const address =
      kept.address !== undefined && isInRange(ipam, kept.address)
        ? kept.address
        : chooseCardAddress(ipam, card, isTaken);
    const address6 =
      kept.address6 !== undefined && isInRange6(ipam, kept.address6)
        ? kept.address6
        : chooseCardAddress6(ipam, card, isTaken);
    if (address === undefined && ipam.ranges.length > 0)
      throw new ConfigError(exhausted(ipam.type, ipam.ranges, taken));
    if (address6 === undefined && ipam.ranges6) throw new ConfigError(exhausted(ipam.type, ipam.ranges6, taken));
    const addresses = { ...(address !== undefined && { address }), ...(address6 !== undefined && { address6 }) };
    if (before) return { ...addresses, number: before.number };
    const numbers = new Set(others.map((each) => each.dhcp?.number));
    for (let number = FIRST_NUMBER; number <= LAST_NUMBER; number++)
      if (!numbers.has(number)) return { ...addresses, number };
    throw new ConfigError(`this node hands out addresses to at most ${LAST_NUMBER - FIRST_NUMBER + 1} cards`);
  }

  async #connectDevice(record: CardRecord): Promise<void> {
    const state = JSON.stringify(record);
    const isThere = this.#connected.get(keyOf(record)) === state && (await readHostDevice(record.device)) !== undefined;
    if (isThere) return;
    await (await this.#open()).connect(record);
    this.#connected.set(keyOf(record), state);
  }

  async #remove(record: CardRecord): Promise<void> {
    this.#connected.delete(keyOf(record));
    const devices = await this.#open();
    await devices.disconnect(record);
    await this.#inTurn(async () => {
      await this.#records.remove(record);
      await this.#removeIdleBridges();
    });
  }

  /** Removes bridges of ours that no card needs, and that nobody has connected anything else to. */
  async #removeIdleBridges(): Promise<void> {
    const devices = await this.#open();
    const needed = new Set(this.#records.all().flatMap(ownBridgeOf));
    for (const bridge of this.#ownBridges) {
      if (needed.has(bridge) || (await hasPorts(bridge))) continue;
      await devices.removeBridge(bridge);
      this.#ownBridges.delete(bridge);
    }
  }

  /** Why cards have IPv4 only. */
  #ipv6Problem(): Promise<string | undefined> {
    this.#noIpv6 ??= hostIpv6Problem();
    return this.#noIpv6;
  }

  #open(): Promise<CardDevices> {
    this.#devices ??= this.#openNow().catch((error: unknown) => {
      this.#devices = undefined;
      throw error;
    });
    return this.#devices;
  }

  async #openNow(): Promise<CardDevices> {
    const { owner, log } = this.#options;
    return new CardDevices({
      network: await claimNetwork(owner),
      hasIpv6: (await this.#ipv6Problem()) === undefined,
      recordOf: (number) => this.#records.all().find((each) => each.dhcp?.number === number),
      log,
    });
  }

  /** Says what is to be said once. */
  #warn(vmi: Vmi, message: string): void {
    const { uid } = vmi.metadata;
    const known = this.#warnings.get(uid) ?? new Set();
    if (known.has(message)) return;
    this.#warnings.set(uid, known.add(message));
    this.#options.recorder.event(vmi, 'Warning', 'NetworkWarning', message);
  }

  /** One at a time: two cards must not find the same address, nor a bridge go while one joins it. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(task, task);
    this.#turn = turn;
    return turn;
  }
}

const USUAL_MTU = 1500;

const keyOf = ({ uid, iface }: CardRecord): string => recordKey(uid, iface);

const ownBridgeOf = ({ network, isOnOwnBridge }: CardRecord): string[] =>
  network.type === 'bridge' && isOnOwnBridge ? [network.bridge] : [];

/** A network as this node has it, and how a card is connected to it. */
interface Resolved {
  readonly backend: NetworkBackend;
  readonly wanted: SecondaryNetwork;
  readonly found: HostDevice | undefined;
  readonly isOwn: boolean;
  readonly refuse: (why: string, cause?: unknown) => NetworkError;
}

/** The name of a card's device. A tap can change its bridge; a macvtap belongs to its device for good. */
const deviceName = (uid: string, iface: string, network: SecondaryNetwork): string =>
  tapName(uid, network.type === 'bridge' ? iface : `${iface}@${network.lower}/${network.mode}`);

/** Whether a card needs a tap that we make: libvirt's own comes too late for filters, and knows of no VLANs here. */
const needsTap = ({ ipam, checksMac, vlan, trunk, isHairpin, isIsolated, isPromiscuous }: BridgeNetwork): boolean =>
  [ipam, checksMac, vlan, trunk, isHairpin, isIsolated, isPromiscuous].some(Boolean);

function exhausted(
  type: Ipam['type'],
  ranges: readonly { readonly first: number | string; readonly last: number | string }[],
  taken: ReadonlyMap<string, string>,
): string {
  const textOf = (address: number | string): string => (typeof address === 'number' ? toAddress(address) : address);
  const [range] = ranges;
  if (type === 'static' && range) {
    const address = textOf(range.first);
    return `ipam: the address ${address} is taken by ${taken.get(address) ?? 'its gateway'}`;
  }
  const texts = ranges.map(({ first, last }) => `${textOf(first)}–${textOf(last)}`);
  return `ipam: all addresses of ${texts.join(', ')} on this node are taken`;
}

/** A network on a node without IPv6; undefined if nothing is left of its addresses. */
function withoutIpv6(network: SecondaryNetwork): SecondaryNetwork | undefined {
  if (network.type !== 'bridge' || !network.ipam) return network;
  const { ranges6: _, routes6: __, ...ipam } = network.ipam;
  return ipam.ranges.length > 0 ? { ...network, ipam } : undefined;
}

/** A gateway makes the node route a range; one that leads elsewhere already would no longer get there. */
async function refuseForeignRange(network: BridgeNetwork, found: HostDevice | undefined): Promise<void> {
  if (hasGateways(network, found)) return;
  const ranges = network.ipam?.ranges ?? [];
  const routes = (await readRoutes([network.bridge])).map((route) => (route.includes('/') ? route : `${route}/32`));
  for (const { subnet } of ranges) {
    const route = routes.find((each) => overlaps(each, subnet));
    if (route)
      throw new ConfigError(
        `isGateway: ${subnet} overlaps ${route}, which this node has a route to; choose another range`,
      );
  }
  const range6 = gatewayRange6(network);
  const route6 = range6 && (await readRoutes6([network.bridge])).find((each) => overlaps6(each, range6.subnet));
  if (route6)
    throw new ConfigError(
      `isGateway: ${range6.subnet} overlaps ${route6}, which this node has a route to; choose another range`,
    );
}
