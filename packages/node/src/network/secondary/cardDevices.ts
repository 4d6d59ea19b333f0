import type { Log } from '@vireo/kube';
import {
  type BridgeNetwork,
  CardDhcp6Server,
  CardDhcpServer,
  cardLease,
  cardLease6,
  cardRemovalScript,
  cardRouter,
  cardScript,
  type DhcpPorts,
  ensureSecondaryCard,
  GATEWAY_MAC,
  gatewayRange6,
  makeBridge,
  openBridge,
  prefixLength,
  RouterAdvertiser,
  Ruleset,
  readSecondaryLinks,
  removeLink,
  replyAddress,
  run,
  secondaryFragment,
  secondarySkeleton,
  secondarySkeleton6,
  serverAddress6,
} from '@vireo/network';
import { extraOptions } from '../lease.ts';
import { type HostDevice, readHostDevice } from './hostDevice.ts';
import { type CardRecord, recordKey } from './records.ts';

export interface CardDevicesOptions {
  /** The name of this home's network, which its devices and tables have: `vireo0`. */
  readonly network: string;
  /** The card that DHCP messages with a number come from. */
  readonly recordOf: (number: number) => CardRecord | undefined;
  /** Whether cards may have IPv6 addresses. */
  readonly hasIpv6: boolean;
  readonly log: Log;
}

/** Of servers that nobody needs. */
const NO_PORTS: DhcpPorts = { ipv4: 1, ipv6: 1 };

const nft = (script: string): Promise<unknown> => run('nft', ['-f', '-'], script);

/** The devices and rules in the kernel for cards besides those of the pod network, and the DHCP server for them. */
export class CardDevices implements AsyncDisposable {
  readonly network: string;
  readonly #options: CardDevicesOptions;
  readonly #ruleset: Ruleset;
  #dhcp: Promise<CardDhcpServer> | undefined;
  #dhcp6: Promise<CardDhcp6Server> | undefined;
  #advertiser: RouterAdvertiser | undefined;

  constructor(options: CardDevicesOptions) {
    this.network = options.network;
    this.#options = options;
    this.#ruleset = new Ruleset({
      table: options.network,
      skeleton: secondarySkeleton(options.network) + (options.hasIpv6 ? secondarySkeleton6(options.network) : ''),
      nft,
      onReload: (error) => options.log.warn('the rules of secondary networks are loaded anew', undefined, { error }),
    });
  }

  /** Makes what is missing for these cards, and removes what is there for others. */
  async reconcile(records: readonly CardRecord[]): Promise<void> {
    const { log } = this.#options;
    const whole: CardRecord[] = [];
    for (const record of records) {
      try {
        const { network, isOnOwnBridge } = record;
        if (network.type === 'bridge' && isOnOwnBridge)
          await this.ensureBridge(network, await readHostDevice(network.bridge, { withAddresses: true }));
        await ensureSecondaryCard(this.network, record);
        this.#ruleset.put(recordKey(record.uid, record.iface), secondaryFragment(this.network, record));
        whole.push(record);
      } catch (error) {
        // Its guest goes on without it; the others need theirs.
        log.warn('a card cannot be connected', undefined, { error, vmi: record.vmi, interface: record.iface });
      }
    }
    const { cards, bridges } = await readSecondaryLinks(this.network);
    const known = new Set(
      records.flatMap(({ device, network, isOnOwnBridge }) =>
        network.type === 'bridge' && isOnOwnBridge ? [device, network.bridge] : [device],
      ),
    );
    for (const name of cards) if (!known.has(name)) await removeLink(name);
    for (const name of bridges) if (!known.has(name) && !(await hasPorts(name))) await removeLink(name);
    const table = `netdev ${this.network}`;
    const ports = await this.#portsFor(whole);
    await Promise.all([
      this.#ruleset.apply(),
      nft(`add table ${table}\ndelete table ${table}\n${cardScript(this.network, whole, ports)}`),
    ]);
    for (const record of whole) this.#advertise(record);
  }

  /** Makes a bridge of ours, or what is missing of it. */
  async ensureBridge(of: BridgeNetwork, found: HostDevice | undefined): Promise<void> {
    if (!found) await makeBridge(this.network, of);
    if (!found?.isUp || !hasGateways(of, found)) await openBridge(this.network, of);
  }

  removeBridge(bridge: string): Promise<void> {
    return removeLink(bridge);
  }

  /** Makes a card. Its rules are in place before its guest can send. */
  async connect(record: CardRecord): Promise<void> {
    const fragment = secondaryFragment(this.network, record);
    this.#ruleset.put(recordKey(record.uid, record.iface), fragment);
    const [ports] = await Promise.all([this.#portsFor([record]), ensureSecondaryCard(this.network, record)]);
    const script = cardScript(this.network, [record], ports);
    await Promise.all([
      fragment.elements?.length ? this.#ruleset.apply() : undefined,
      script ? nft(script) : undefined,
    ]);
    this.#advertise(record);
  }

  async disconnect(record: CardRecord): Promise<void> {
    this.#advertiser?.remove(record.device);
    await removeLink(record.device);
    const fragment = secondaryFragment(this.network, record);
    this.#ruleset.drop(recordKey(record.uid, record.iface));
    const script = cardScript(this.network, [record], NO_PORTS) ? cardRemovalScript(this.network, record.device) : '';
    await Promise.all([
      fragment.elements?.length ? this.#ruleset.apply() : undefined,
      script ? nft(script) : undefined,
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#dhcp)?.[Symbol.asyncDispose]();
    await (await this.#dhcp6)?.[Symbol.asyncDispose]();
    await this.#advertiser?.[Symbol.asyncDispose]();
  }

  /** Tells the guest of a card how it gets an IPv6 address, and whether the node is its router. */
  #advertise({ device, network, dhcp, mtu }: CardRecord): void {
    if (network.type !== 'bridge' || dhcp?.address6 === undefined) return;
    const { log } = this.#options;
    const onError = (error: unknown): void =>
      log.warn('the router advertisements of secondary networks', undefined, { error });
    this.#advertiser ??= new RouterAdvertiser({ onError });
    this.#advertiser.add(device, cardRouter(this.network, network, mtu), dhcp.number);
  }

  /** The ports of the DHCP servers, which start with the first card that needs them. */
  async #portsFor(records: readonly CardRecord[]): Promise<DhcpPorts> {
    const [ipv4, ipv6] = await Promise.all([
      records.some(({ dhcp }) => dhcp?.address !== undefined) ? this.#startDhcp() : undefined,
      records.some(({ dhcp }) => dhcp?.address6 !== undefined) ? this.#startDhcp6() : undefined,
    ]);
    return { ipv4: ipv4?.port ?? NO_PORTS.ipv4, ipv6: ipv6?.port ?? NO_PORTS.ipv6 };
  }

  #startDhcp6(): Promise<CardDhcp6Server> {
    const { recordOf, log } = this.#options;
    this.#dhcp6 ??= CardDhcp6Server.listen({
      mac: GATEWAY_MAC,
      clientOf: (number) => {
        const { device, network, dhcp } = recordOf(number) ?? {};
        if (!device || dhcp?.address6 === undefined || network?.type !== 'bridge' || !network.ipam) return undefined;
        const lease = cardLease6(network.ipam, dhcp.address6);
        return { device, server: serverAddress6(this.network, network), lease };
      },
      onError: (error) => log.warn('the DHCPv6 server of secondary networks', undefined, { error }),
    });
    return this.#dhcp6;
  }

  #startDhcp(): Promise<CardDhcpServer> {
    const { recordOf, log } = this.#options;
    this.#dhcp ??= CardDhcpServer.listen({
      clientOf: (number) => {
        const record = recordOf(number);
        const { network, dhcp, mac, mtu, hostname, wishes = {} } = record ?? {};
        if (dhcp?.address === undefined || !mac || network?.type !== 'bridge' || !network.ipam) return undefined;
        const lease = cardLease({ ...network, ipam: network.ipam }, dhcp.address);
        const extra = [...(lease.extra ?? []), ...extraOptions(wishes)];
        return { mac, lease: { ...lease, mtu, hostname, extra }, replyTo: replyAddress(this.network, number) };
      },
      onError: (error) => log.warn('the DHCP server of secondary networks', undefined, { error }),
    });
    return this.#dhcp;
  }
}

/** Whether anything is connected to a bridge: somebody may have added something of theirs. */
export const hasPorts = async (bridge: string): Promise<boolean> =>
  ((await readHostDevice(bridge))?.ports.length ?? 0) > 0;

/** Whether a bridge has the addresses of the gateways that it is to have. */
export const hasGateways = (of: BridgeNetwork, found: HostDevice | undefined): boolean =>
  !of.isGateway || (hasGateways4(of, found) && hasGateways6(of, found));

const hasGateways4 = ({ ipam }: BridgeNetwork, found: HostDevice | undefined): boolean =>
  (ipam?.ranges ?? []).every(
    ({ gateway, subnet }) => gateway === undefined || found?.addresses.includes(`${gateway}/${prefixLength(subnet)}`),
  );

/** The same by IPv6. */
const hasGateways6 = (of: BridgeNetwork, found: HostDevice | undefined): boolean => {
  const range = gatewayRange6(of);
  return !range || (found?.addresses.includes(`${range.gateway}/${range.subnet.split('/')[1]}`) ?? false);
};
