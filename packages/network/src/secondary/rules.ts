import { toMetadata } from '../metadata.ts';
import type { Element, Fragment } from '../nft/fragment.ts';
import { cidr4, cidr6, device, hostDevice, ipv4, ipv6, mac, port } from '../text.ts';
import type { SecondaryCard } from './card.ts';
import { gatewayRange6 } from './lease6.ts';
import { cardRules6 } from './rules6.ts';

/** The DHCP server's address as guests see it. Nobody has it: what they send there is caught at their taps. */
export const DHCP_SERVER = '169.254.67.1';

/**
 * An address for the replies to a card. Only this node's rules see it. It is of a range that no network has (240.0.0.0/4),
 * so that two networks may give out the same addresses. `network`: `vireo0`.
 */
export const replyAddress = (network: string, number: number): string =>
  `${repliesOf(network)}.${number >> 8}.${number & 255}`;

const repliesOf = (network: string): string => `240.${Number(/\d+$/.exec(device(network))?.[0] ?? 0) % 256}`;

/**
 * The table of a node for networks besides the pod network.
 *
 * `dhcp`: replies leave by the route of their card, with the guest's address instead of ours; see `cardRules` for requests.
 *
 * The rest concerns bridges that we made. Guests on them reach neither the node's ports nor send from foreign addresses
 * through it. Where br_netfilter is on, frames that stay on a bridge pass `forward`, too: they are none of our business.
 */
export function secondarySkeleton(network: string): string {
  const table = device(network);
  const replies = `${repliesOf(network)}.0.0/16`;
  return `add table ip ${table}
delete table ip ${table}
table ip ${table} {
  map guests { type ipv4_addr : ipv4_addr; }
  set bridges { type ifname; }
  set bridged { type ifname . ifname; }
  set gateways { type ifname . ipv4_addr; }
  set sources { type ifname . ipv4_addr; flags interval; }
  set masqueraded { type ipv4_addr; flags interval; }
  chain dhcp {
    type filter hook postrouting priority -150; policy accept;
    ip daddr ${replies} udp dport 68 ip saddr set ${DHCP_SERVER} udp sport set 67
    ip daddr ${replies} udp dport 68 @th,144,16 & 0x8000 == 0x8000 ip daddr set 255.255.255.255 accept
    ip daddr ${replies} udp dport 68 ip daddr set ip daddr map @guests
  }
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmp type port-unreachable
  }
  chain input {
    type filter hook input priority 0; policy accept;
    iifname != @bridges accept
    iifname . ip saddr != @sources drop
    ct state established,related accept
    icmp type echo-request iifname . ip daddr @gateways accept
    meta pkttype != host drop
    goto refuse
  }
  chain forward {
    type filter hook forward priority 0; policy accept;
    iifname != @bridges accept
    iifname . oifname @bridged accept
    iifname . ip saddr != @sources drop
    ct state established,related accept
    ${toMetadata('IPv4')} goto refuse
  }
  chain postrouting {
    type nat hook postrouting priority 100; policy accept;
    oifname != @bridges ip saddr @masqueraded masquerade
  }
}
`;
}

/** What a card adds to the sets of the table. */
export function secondaryFragment(network: string, { network: of, dhcp, isOnOwnBridge }: SecondaryCard): Fragment {
  if (of.type !== 'bridge') return {};
  const bridge = `"${hostDevice(of.bridge)}"`;
  const elements: Element[] = [];
  const add = (set: string, key: string, value?: string): void => {
    elements.push({ family: 'ip', set, key, ...(value !== undefined && { value }) });
  };
  const add6 = (set: string, key: string): void => {
    elements.push({ family: 'ip6', set, key });
  };
  if (dhcp?.address !== undefined) add('guests', replyAddress(network, dhcp.number), ipv4(dhcp.address));
  if (!isOnOwnBridge) return { elements };
  add('bridges', bridge);
  add('bridged', `${bridge} . ${bridge}`);
  if (!of.isGateway) return { elements };
  for (const { subnet, gateway } of of.ipam?.ranges ?? []) {
    add('sources', `${bridge} . ${cidr4(subnet)}`);
    if (gateway !== undefined) add('gateways', `${bridge} . ${ipv4(gateway)}`);
    if (of.isMasqueraded) add('masqueraded', subnet);
  }
  const range6 = gatewayRange6(of);
  if (!range6) return { elements };
  add6('bridges', bridge);
  add6('bridged', `${bridge} . ${bridge}`);
  add6('sources', `${bridge} . ${cidr6(range6.subnet)}`);
  add6('gateways', `${bridge} . ${ipv6(range6.gateway)}`);
  if (of.isMasqueraded) add6('masqueraded', range6.subnet);
  return { elements };
}

/** Where the servers listen that give cards their addresses. */
export interface DhcpPorts {
  readonly ipv4: number;
  readonly ipv6: number;
}

/**
 * What is done with frames of a card before they come to its bridge: those from another hardware address are dropped, and
 * requests to DHCP servers go to ours. Whatever their VLAN, they arrive on the loopback device as broadcasts to its port,
 * from the card's number in the place of a port. Others on the bridge do not see them, so that nobody else answers.
 */
export function cardRules({ mac: hardware, network, dhcp }: SecondaryCard, ports: DhcpPorts): string[] {
  const request =
    'ether type ip udp sport 68 udp dport 67 ether daddr set ff:ff:ff:ff:ff:ff ' +
    'ip saddr set 0.0.0.0 ip daddr set 255.255.255.255';
  return [
    ...(network.type === 'bridge' && network.checksMac ? [`ether saddr != ${mac(hardware)} drop`] : []),
    ...(dhcp?.address === undefined
      ? []
      : [`${request} udp sport set ${port(dhcp.number)} udp dport set ${port(ports.ipv4)} fwd to "lo"`]),
    ...(dhcp?.address6 === undefined ? [] : cardRules6(dhcp.number, ports.ipv6)),
  ];
}

/** The commands that load the rules of cards, in the place of what is there. Their devices have to be there. */
export function cardScript(network: string, cards: readonly SecondaryCard[], ports: DhcpPorts): string {
  const table = `netdev ${device(network)}`;
  const lines = cards.flatMap((card) => {
    const rules = cardRules(card, ports);
    const chain = `${table} ${device(card.device)}`;
    return rules.length === 0
      ? []
      : [
          `add chain ${chain} { type filter hook ingress device "${card.device}" priority -300; policy accept; }`,
          `flush chain ${chain}`,
          ...rules.map((rule) => `add rule ${chain} ${rule}`),
        ];
  });
  return lines.length === 0 ? '' : `add table ${table}\n${lines.join('\n')}\n`;
}

/** The commands that remove the rules of a card. Some kernels have removed them with the device; here that is no error. */
export function cardRemovalScript(network: string, name: string): string {
  const table = `netdev ${device(network)}`;
  const chain = `${table} ${device(name)}`;
  return `add table ${table}\nadd chain ${chain}\nflush chain ${chain}\ndelete chain ${chain}\n`;
}
