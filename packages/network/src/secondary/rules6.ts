import { toMetadata } from '../metadata.ts';
import { device, port } from '../text.ts';

/** What may come from a network to its router on the link itself. */
const LINK =
  'nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert, mld-listener-report, mld2-listener-report, mld-listener-reduction';

/** The table of IPv6 for bridges that we made and are routers on; the rest have no IPv6. The same as that of IPv4. */
export const secondarySkeleton6 = (network: string): string => `add table ip6 ${device(network)}
delete table ip6 ${network}
table ip6 ${network} {
  set bridges { type ifname; }
  set bridged { type ifname . ifname; }
  set gateways { type ifname . ipv6_addr; }
  set sources { type ifname . ipv6_addr; flags interval; }
  set masqueraded { type ipv6_addr; flags interval; }
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpv6 type port-unreachable
  }
  chain input {
    type filter hook input priority 0; policy accept;
    iifname != @bridges accept
    icmpv6 type { ${LINK} } accept
    iifname . ip6 saddr != @sources drop
    ct state established,related accept
    icmpv6 type echo-request iifname . ip6 daddr @gateways accept
    meta pkttype != host drop
    goto refuse
  }
  chain forward {
    type filter hook forward priority 0; policy accept;
    iifname != @bridges accept
    iifname . oifname @bridged accept
    iifname . ip6 saddr != @sources drop
    ct state established,related accept
    ${toMetadata('IPv6')} goto refuse
  }
  chain postrouting {
    type nat hook postrouting priority 100; policy accept;
    oifname != @bridges ip6 saddr @masqueraded masquerade
  }
}
`;

/** Where the advertiser finds the number of the card that asks for a router: in the place of its address. */
export const solicitor = (number: number): string => `fe80::67:${port(number).toString(16)}`;

/**
 * The same as `cardRules` does for IPv4: requests to DHCPv6 servers, and those for routers, go to ours, by the loopback
 * device, and to nobody else.
 */
export function cardRules6(number: number, dhcpPort: number): string[] {
  const toLoopback = 'ether daddr set 00:00:00:00:00:00 ip6 daddr set ::1';
  return [
    `ether type ip6 udp sport 546 udp dport 547 ${toLoopback} udp sport set ${port(number)} udp dport set ${port(dhcpPort)} fwd to "lo"`,
    `icmpv6 type nd-router-solicit ${toLoopback} ip6 saddr set ${solicitor(number)} fwd to "lo"`,
  ];
}
