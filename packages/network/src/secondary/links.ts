import { readFile, writeFile } from 'node:fs/promises';
import { batch, isMarked, ownedAlias, readLinks, removeLink, unfinishedBridge } from '../links.ts';
import { prefixLength } from '../ranges.ts';
import { CommandError, run } from '../run.ts';
import { device, hostDevice, ipv4, mac } from '../text.ts';
import { bridgeMac } from './bridgeMac.ts';
import type { SecondaryCard } from './card.ts';
import type { BridgeNetwork } from './config.ts';
import { ConfigError } from './fields.ts';
import { cardLines6, openBridge6 } from './links6.ts';
import { replyAddress } from './rules.ts';

const cardAlias = (network: string): string => `secondary card of ${device(network)}`;
const bridgeAlias = (network: string): string => `bridge of ${device(network)}`;

/** Whether the kernel's mark says that a bridge is ours. `network`: `vireo0`. */
export const isOwnBridge = (network: string, alias: string): boolean => alias === bridgeAlias(network);

/** The devices of ours for networks besides the pod network. */
export async function readSecondaryLinks(network: string): Promise<{ cards: string[]; bridges: string[] }> {
  const links = await readLinks();
  const marked = (alias: string): string[] =>
    links.filter(({ ifalias }) => isMarked(ifalias, alias)).map(({ ifname }) => ifname);
  const unfinished = links.filter(({ ifname }) => ifname === unfinishedBridge(network)).map(({ ifname }) => ifname);
  return { cards: marked(cardAlias(network)), bridges: [...marked(bridgeAlias(network)), ...unfinished] };
}

/** The commands that make a bridge. It gets its size of packets twice: only a change tells the kernel not to choose one itself. */
export const bridgeLines = (network: string, { bridge, mtu, vlan, trunk }: BridgeNetwork): string[] => {
  const name = unfinishedBridge(network);
  const filters = vlan !== undefined || trunk ? ' vlan_filtering 1' : '';
  return [
    `link add ${name} address ${bridgeMac(network, bridge)} type bridge forward_delay 0${filters}`,
    `link set ${name} alias "${bridgeAlias(network)}"`,
    ...(mtu === undefined ? [] : [`link set ${name} mtu ${mtu - 1}`, `link set ${name} mtu ${mtu}`]),
    `link set ${name} name ${hostDevice(bridge)}`,
  ];
};

/** Makes a bridge, which nobody reaches the node by: it has no IPv6 unless it is opened as a router. */
export async function makeBridge(network: string, of: BridgeNetwork): Promise<void> {
  try {
    await batch(bridgeLines(network, of));
  } catch (error) {
    await removeLink(unfinishedBridge(network));
    throw explain(error, of);
  }
  await writeFile(`/proc/sys/net/ipv6/conf/${of.bridge}/disable_ipv6`, '1').catch(() => {});
}

/** Brings a bridge of ours up, with the addresses of its gateways. */
export async function openBridge(network: string, of: BridgeNetwork): Promise<void> {
  const name = hostDevice(of.bridge);
  const gateways = (of.isGateway ? (of.ipam?.ranges ?? []) : []).flatMap(({ gateway, subnet }) =>
    gateway === undefined ? [] : [`addr replace ${ipv4(gateway)}/${prefixLength(subnet)} dev ${name}`],
  );
  await batch([...gateways, `link set ${name} up`]);
  await openBridge6(network, of);
  const forwarding = '/proc/sys/net/ipv4/ip_forward';
  if (of.isGateway && (await readFile(forwarding, 'utf8')).trim() !== '1') await writeFile(forwarding, '1');
}

/** The commands of `ip` that make a card and connect it, apart from its VLANs. */
export function cardLines(network: string, card: SecondaryCard): { make: string; connect: string[] } {
  const { network: of, dhcp, mtu } = card;
  const name = device(card.device);
  const mark = `link set ${name} alias "${ownedAlias(card.vmi, cardAlias(network))}"`;
  if (of.type === 'macvtap')
    return {
      make: `link add link ${hostDevice(of.lower)} name ${name} address ${mac(card.mac)} type macvtap mode ${of.mode}`,
      connect: [mark, `link set ${name} address ${card.mac} mtu ${mtu} up`],
    };
  const bridge = hostDevice(of.bridge);
  const onOff = (isOn: boolean): string => (isOn ? 'on' : 'off');
  const reply = dhcp?.address === undefined ? undefined : replyAddress(network, dhcp.number);
  return {
    make: `tuntap add dev ${name} mode tap vnet_hdr${card.isMultiqueue ? ' multi_queue' : ''}`,
    connect: [
      mark,
      // Above that of every uplink, or the bridge would take it for its own; and the node has nothing to say here itself.
      `link set ${name} address ${tapMac(card.mac)} mtu ${mtu} addrgenmode none`,
      `link set ${name} master ${bridge}`,
      `link set ${name} type bridge_slave hairpin ${onOff(of.isHairpin)} isolated ${onOff(of.isIsolated)}`,
      ...(of.isPromiscuous ? [`link set ${bridge} promisc on`] : []),
      `link set ${name} up`,
      // The neighbour is looked up by the gateway, whatever address the rules have put into the reply.
      ...(reply === undefined
        ? []
        : [
            `neigh replace ${reply} lladdr ${mac(card.mac)} dev ${name} nud permanent`,
            `route replace ${reply}/32 via ${reply} dev ${name} onlink`,
          ]),
      ...cardLines6(network, card),
    ],
  };
}

/** The hardware address of the node's end of a card, as libvirt has it. */
const tapMac = (guest: string): string => `${mac(guest).startsWith('fe') ? 'fa' : 'fe'}${guest.slice(2)}`;

/** A VLAN of a port, as `bridge -j vlan` shows it. */
export interface PortVlan {
  readonly vlan: number;
  readonly vlanEnd?: number;
}

/**
 * The commands of `bridge` that give a card its VLANs: `add` those of its network, `remove` the one that every port has
 * first, by which it would be in the network of the bridge, too.
 */
export function vlanLines({ device: name, network: of }: SecondaryCard, current: readonly PortVlan[]): string[] {
  if (of.type !== 'bridge') return [];
  const port = device(name);
  const isDefaultWanted = of.keepsDefaultVlan || of.vlan === 1 || (of.trunk ?? []).some(({ first }) => first === 1);
  const hasDefault = current.some(({ vlan }) => vlan === 1);
  return [
    ...(of.vlan === undefined ? [] : [`vlan add dev ${port} vid ${of.vlan} pvid untagged`]),
    ...(of.trunk ?? []).map(
      ({ first, last }) => `vlan add dev ${port} vid ${first === last ? first : `${first}-${last}`}`,
    ),
    ...(hasDefault && !isDefaultWanted ? [`vlan del dev ${port} vid 1`] : []),
  ];
}

const hasVlans = (of: SecondaryCard['network']): boolean =>
  of.type === 'bridge' && (of.vlan !== undefined || of.trunk !== undefined);

async function setVlans(card: SecondaryCard): Promise<void> {
  const shown = await run('bridge', ['-j', 'vlan', 'show', 'dev', device(card.device)]);
  const [port] = JSON.parse(shown || '[]') as { vlans?: PortVlan[] }[];
  await run('bridge', ['-batch', '-'], `${vlanLines(card, port?.vlans ?? []).join('\n')}\n`);
}

/** Makes a card; one that is there stays, with what it lacks. */
export async function ensureSecondaryCard(network: string, card: SecondaryCard): Promise<void> {
  const { make, connect } = cardLines(network, card);
  try {
    try {
      await batch([make, ...connect]);
    } catch (error) {
      if (!(error instanceof CommandError) || !/busy|exists/i.test(error.stderr)) throw error;
      await batch(connect);
    }
    if (hasVlans(card.network)) await setVlans(card);
  } catch (error) {
    throw explain(error, card.network);
  }
}

/** What the kernel refuses, in words. */
function explain(error: unknown, of: SecondaryCard['network']): unknown {
  if (!(error instanceof CommandError)) return error;
  if (hasVlans(of) && /not supported/i.test(error.stderr)) return new ConfigError(NO_VLANS, { cause: error });
  return new ConfigError(error.stderr, { cause: error });
}

/** Of a kernel that was built without them. */
export const NO_VLANS = 'the kernel has no VLAN filtering (CONFIG_BRIDGE_VLAN_FILTERING)';
