import type { Log } from '@vireo/kube';
import {
  type BridgeNetwork,
  CardDhcpServer,
  cardLease,
  cardRemovalScript,
  cardScript,
  ensureSecondaryCard,
  makeBridge,
  openBridge,
  prefixLength,
  Ruleset,
  readSecondaryLinks,
  removeLink,
  replyAddress,
  run,
  secondaryFragment,
  secondarySkeleton,
} from '@vireo/network';
import { extraOptions } from '../lease.ts';
import { type HostDevice, readHostDevice } from './hostDevice.ts';
import { type CardRecord, recordKey } from './records.ts';

export interface CardDevicesOptions {
  /** The name of this home's network, which its devices and tables have: `vireo0`. */
  readonly network: string;
  /** The card that DHCP messages with a number come from. */
  readonly recordOf: (number: number) => CardRecord | undefined;
  readonly log: Log;
}

const nft = (script: string): Promise<unknown> => run('nft', ['-f', '-'], script);

/** The devices and rules in the kernel for cards besides those of the pod network, and the DHCP server for them. */
export class CardDevices implements AsyncDisposable {
  readonly network: string;
  readonly #options: CardDevicesOptions;
  readonly #ruleset: Ruleset;
  #dhcp: Promise<CardDhcpServer> | undefined;

  constructor(options: CardDevicesOptions) {
    this.network = options.network;
    this.#options = options;
    this.#ruleset = new Ruleset({
      table: options.network,
      skeleton: secondarySkeleton(options.network),
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
    const dhcpPort = await this.#portFor(whole);
    await Promise.all([
      this.#ruleset.apply(),
      nft(`add table ${table}\ndelete table ${table}\n${cardScript(this.network, whole, dhcpPort)}`),
    ]);
  }

  /** Makes a bridge of ours, or what is missing of it. */
  async ensureBridge(of: BridgeNetwork, found: HostDevice | undefined): Promise<void> {
    if (!found) await makeBridge(this.network, of);
    if (!found?.isUp || !hasGateways(of, found)) await openBridge(of);
  }

  removeBridge(bridge: string): Promise<void> {
    return removeLink(bridge);
  }

  /** Makes a card. Its rules are in place before its guest can send. */
  async connect(record: CardRecord): Promise<void> {
    const fragment = secondaryFragment(this.network, record);
    this.#ruleset.put(recordKey(record.uid, record.iface), fragment);
    const [dhcpPort] = await Promise.all([this.#portFor([record]), ensureSecondaryCard(this.network, record)]);
    const script = cardScript(this.network, [record], dhcpPort);
    await Promise.all([
      fragment.elements?.length ? this.#ruleset.apply() : undefined,
      script ? nft(script) : undefined,
    ]);
  }

  async disconnect(record: CardRecord): Promise<void> {
    await removeLink(record.device);
    const fragment = secondaryFragment(this.network, record);
    this.#ruleset.drop(recordKey(record.uid, record.iface));
    const script = cardScript(this.network, [record], 1) ? cardRemovalScript(this.network, record.device) : '';
    await Promise.all([
      fragment.elements?.length ? this.#ruleset.apply() : undefined,
      script ? nft(script) : undefined,
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#dhcp)?.[Symbol.asyncDispose]();
  }

  /** The port of the DHCP server, which starts with the first card that needs it. */
  async #portFor(records: readonly CardRecord[]): Promise<number> {
    if (!records.some(({ dhcp }) => dhcp)) return 1;
    const { recordOf, log } = this.#options;
    this.#dhcp ??= CardDhcpServer.listen({
      clientOf: (number) => {
        const record = recordOf(number);
        const { network, dhcp, mac, mtu, hostname, wishes = {} } = record ?? {};
        if (!dhcp || !mac || network?.type !== 'bridge' || !network.ipam) return undefined;
        const lease = cardLease({ ...network, ipam: network.ipam }, dhcp.address);
        const extra = [...(lease.extra ?? []), ...extraOptions(wishes)];
        return { mac, lease: { ...lease, mtu, hostname, extra }, replyTo: replyAddress(this.network, number) };
      },
      onError: (error) => log.warn('the DHCP server of secondary networks', undefined, { error }),
    });
    return (await this.#dhcp).port;
  }
}

/** Whether anything is connected to a bridge: somebody may have added something of theirs. */
export const hasPorts = async (bridge: string): Promise<boolean> =>
  ((await readHostDevice(bridge))?.ports.length ?? 0) > 0;

/** Whether a bridge has the addresses of the gateways that it is to have. */
export const hasGateways = ({ isGateway, ipam }: BridgeNetwork, found: HostDevice | undefined): boolean =>
  !isGateway ||
  (ipam?.ranges ?? []).every(
    ({ gateway, subnet }) => gateway === undefined || found?.addresses.includes(`${gateway}/${prefixLength(subnet)}`),
  );
